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
# The cases that were made, each with its revision and its last command.
CASES = {}
# Cursors that the server gave; no cursor is one too.
CURSORS = [""]


def sign_in():
    answer = requests.post(f"{URL}/v1/sessions", json=SIGN_IN, timeout=20)
    answer.raise_for_status()
    return answer.json()["access_token"]


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


def is_meant_to_be_right(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.method == "DELETE" and case.path == "/v1/sessions/current":
        headers = case.headers or {}
        if headers.get("Authorization") == f"Bearer {TOKEN}":
            headers["Authorization"] = f"Bearer {sign_in()}"
    if not is_meant_to_be_right(case):
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
    """Gives a command its hash, and the key that goes with it."""
    if not isinstance(body, dict) or not isinstance(body.get("payload"), dict):
        return None
    body["command_id"] = new_id()
    about(body)
    hashed = {name: body.get(name) for name in ("operation", "schema_version", "target", "expected", "payload")}
    digest = hashlib.sha256(rfc8785.dumps(hashed)).digest()
    body["payload_hash"] = "cmd-v1:" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    return f"{body['operation']}:{body['target']['id']}:{body['command_id']}"


def about(body):
    """Makes the command one about something that is there, mostly, as it is now, mostly."""
    payload, target = body["payload"], body["target"]
    if body["operation"] == "case.create":
        target["id"] = new_id()
    elif "notification_id" in payload:
        target["id"] = payload["notification_id"]
    elif CASES and DICE.random() < 0.8:
        target["id"] = DICE.choice(sorted(CASES))
    known = CASES.get(target["id"])
    expected = body.get("expected")
    if known and isinstance(expected, dict) and DICE.random() < 0.8:
        if "revision" in expected:
            expected["revision"] = known["revision"]
        elif known["command"]:
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
    fence = receipt["fence"]
    if fence["entity_type"] == "case":
        CASES[fence["entity_id"]] = {"revision": fence["entity_revision"], "command": receipt["operation_id"]}
