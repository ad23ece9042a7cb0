"""What a schema cannot say about a request, done by the client: hash and key of a command, ids that are of now, cases
that are there, and a session of its own to sign out of. Requests that are meant to be wrong are left as they are."""

import base64
import hashlib
import os
import random
import time
import uuid

import requests
import rfc8785
import schemathesis

URL = os.environ["ONCEOVER_URL"]
SIGN_IN = {
    "tenant": os.environ["ONCEOVER_TENANT"],
    "username": os.environ["ONCEOVER_USERNAME"],
    "password": os.environ["ONCEOVER_PASSWORD"],
    "device_id": "schemathesis",
    "device_name": "schemathesis",
}
DICE = random.Random(1)
# The cases that were made, in this order, each with its revision and its last command.
CASES = {}
# What was made on cases: of each type, the id and its case.
CHILDREN = {"note": [], "task": []}
# Cursors that the server gave; no cursor is one too.
CURSORS = [""]


def post(path, body, **headers):
    answer = requests.post(f"{URL}{path}", json=body, headers=headers, timeout=20)
    answer.raise_for_status()
    return answer.json()


def sign_in():
    return post("/v1/sessions", SIGN_IN)["access_token"]


TOKEN = sign_in()


@schemathesis.auth()
class Session:
    """The one session that is used for everything but signing out."""

    def get(self, case, context):
        return TOKEN

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


def new_id():
    """A UUIDv7 of now."""
    random_bits = DICE.getrandbits(74)
    value = (int(time.time() * 1000) << 80) | (7 << 76) | ((random_bits >> 62) << 64) | (2 << 62)
    return str(uuid.UUID(int=value | (random_bits & ((1 << 62) - 1))))


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.method == "DELETE" and case.path == "/v1/sessions/current":
        headers = case.headers or {}
        if headers.get("Authorization") == f"Bearer {TOKEN}":
            headers["Authorization"] = f"Bearer {sign_in()}"
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    if case.path == "/v1/commands" and case.method == "POST":
        key = make_whole(case.body)
        if key:
            case.headers["Idempotency-Key"] = f'"{key}"' if DICE.random() < 0.5 else key
    elif case.path == "/v1/commands/batch" and isinstance(case.body, dict):
        for item in case.body.get("commands") or []:
            key = make_whole(item)
            if key:
                item["idempotency_key"] = key
    elif case.path.startswith("/v1/operations/{command_id}") and case.query.get("key"):
        case.path_parameters["command_id"] = case.query["key"].rsplit(":", 1)[-1]
    elif case.path == "/v1/changes" and case.query.get("cursor"):
        case.query["cursor"] = DICE.choice(CURSORS)


def make_whole(body):
    """Gives a command its hash; returns the key that goes with it."""
    if not isinstance(body, dict) or not isinstance(body.get("payload"), dict):
        return None
    body["command_id"] = new_id()
    find_a_target(body)
    hashed = {name: body.get(name) for name in ("operation", "schema_version", "target", "expected", "payload")}
    digest = hashlib.sha256(rfc8785.dumps(hashed)).digest()
    body["payload_hash"] = "cmd-v1:" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return f"{body['operation']}:{body['target']['id']}:{body['command_id']}"


def find_a_target(body):
    """Makes the command one about something that is there, mostly, as it is now, mostly."""
    operation, payload, target = body["operation"], body["payload"], body["target"]
    child = {"note.redact": "note", "task.set_done": "task"}.get(operation)
    if operation == "case.create":
        target["id"] = new_id()
    elif operation == "notification.read":
        target["id"] = payload["notification_id"]
    elif child and CHILDREN[child] and DICE.random() < 0.9:
        payload[f"{child}_id"], target["id"] = DICE.choice(CHILDREN[child])
    elif CASES and DICE.random() < 0.9:
        target["id"] = DICE.choice(list(CASES))
    known = CASES.get(target["id"])
    expected = body.get("expected")
    if known and isinstance(expected, dict) and DICE.random() < 0.8:
        if "revision" in expected:
            expected["revision"] = known["revision"]
        elif "after" in expected:
            expected["after"] = known["command"]


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code not in (200, 201):
        return
    if case.path == "/v1/changes" and case.method == "GET":
        CURSORS.append(response.json()["cursor"])
    elif case.path == "/v1/commands":
        remember(response.json())
    elif case.path == "/v1/commands/batch":
        for result in response.json()["results"]:
            if result["status"] in (200, 201):
                remember(result["body"])


def remember(receipt):
    fence, result = receipt["fence"], receipt["result"]
    if fence["entity_type"] == "case":
        CASES[fence["entity_id"]] = {"revision": fence["entity_revision"], "command": receipt["operation_id"]}
    if result["type"] in CHILDREN and result["revision"] == 1:
        CHILDREN[result["type"]].append((result["id"], fence["entity_id"]))


def make_a_case():
    """A case to begin with."""
    body = {
        "operation": "case.create",
        "schema_version": 1,
        "target": {"type": "case", "id": None},
        "expected": None,
        "payload": {"title": "A case", "kind": "other", "priority": "normal", "status": "open"},
        "issued_at": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime()),
        "session_version": 1,
        "issued_under": 1,
    }
    key = make_whole(body)
    remember(post("/v1/commands", body, **{"Idempotency-Key": key, "Authorization": f"Bearer {TOKEN}"}))


for _ in range(5):
    make_a_case()
