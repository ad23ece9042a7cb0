//! Every route: what it takes, what it answers, and what it may say instead.

use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::{ContentBuilder, Required, SecurityRequirement};
use wire::Code;

use super::problem::{self, ANY, BODY, COMMAND, FEED, HIDDEN, KEY, REFRESH, SIGN_IN, SIGNED, with_request_id};
use super::shape::{Shape, any_of, as_example, key, key_header, named, new_id, only, text, whole};
use super::{SECURITY, answer, command, entity};
use crate::routes::changes::LIMIT_MAX;

/// One method of one path.
pub(super) struct Route {
    pub(super) path: &'static str,
    pub(super) method: HttpMethod,
    pub(super) operation: Operation,
}

/// All of them.
pub(super) fn all() -> Vec<Route> {
    [sessions(), commands(), operations(), feed(), about_the_server()].into_iter().flatten().collect()
}

fn sessions() -> Vec<Route> {
    vec![
        open_to_all(Said::new("signIn", "Sign in", "Failed sign-ins are throttled, successful ones are not."))
            .takes("SignIn")
            .answers(201, "The session.", "Session")
            .or(&[BODY, SIGN_IN])
            .at(HttpMethod::Post, "/v1/sessions"),
        open_to_all(Said::new(
            "refreshSession",
            "Get new tokens",
            "Uses the refresh token up. The same one again within 60 s from the same device gets the same successor; \
             later, or from another device, ends the session.",
        ))
        .takes("Refresh")
        .answers(200, "The session with its new tokens.", "Session")
        .or(&[BODY, REFRESH])
        .at(HttpMethod::Post, "/v1/sessions/refresh"),
        signed(Said::new("signOut", "Sign out", "Repeating it changes nothing; a token that has expired will do."))
            .answers_nothing("The session is over.")
            .or(&[&[Code::Unauthenticated]])
            .at(HttpMethod::Delete, "/v1/sessions/current"),
        signed(Said::new("whoAmI", "Who am I", "With the rights of now."))
            .answers(200, "Who is signed in.", "SessionInfo")
            .or(&[SIGNED])
            .at(HttpMethod::Get, "/v1/session"),
    ]
}

fn commands() -> Vec<Route> {
    let key = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some("`<operation>:<target id>:<command id>`, bare or as a structured-field string."))
        .schema(Some(as_example(key_header(), &command::example_key(domain::Operation::CaseTransition))))
        .build();
    let mut execute = signed(Said::new(
        "executeCommand",
        "Execute a command",
        "At most once for its key: a repeat gets the first answer, byte for byte, and `Idempotent-Replayed: true`.",
    ))
    .takes("Command")
    .answers_replayed(200, "It is committed.")
    .answers_replayed(201, "It is committed, and something was created.");
    execute.operation = execute.operation.parameter(key);
    execute.body_examples = command::examples();
    let mut batch = signed(Said::new(
        "executeBatch",
        "Execute commands",
        "Each stands alone. After one that is not committed, later ones on its target are not run (424), unless the \
         operation commutes.",
    ))
    .takes("Batch")
    .answers(200, "What became of each.", "BatchResults");
    batch.body_example = Some(command::batch_example());
    vec![
        execute.or(&[BODY, SIGNED, COMMAND]).at(HttpMethod::Post, "/v1/commands"),
        batch.or(&[BODY, SIGNED]).at(HttpMethod::Post, "/v1/commands/batch"),
    ]
}

fn operations() -> Vec<Route> {
    let about = |said: Said| {
        let command_id = ParameterBuilder::new()
            .name("command_id")
            .parameter_in(ParameterIn::Path)
            .required(Required::True)
            .description(Some("The command's id."))
            .schema(Some(new_id()));
        signed(said)
            .with(command_id)
            .with_query(
                "key",
                "Its idempotency key, whose last part is the command's id.",
                key().into(),
                Required::True,
            )
            .answers(200, "What is known.", "OperationStatus")
    };
    vec![
        signed(Said::new("lookUpOperations", "What became of many", "Own keys only; supervisors: any of the tenant."))
            .takes("Lookup")
            .answers(200, "What is known of each.", "OperationStatuses")
            .or(&[BODY, SIGNED])
            .at(HttpMethod::Post, "/v1/operations/lookup"),
        about(Said::new(
            "lookUpOperation",
            "What became of a command",
            "`not_seen` allows a resend with the same key, and nothing else. If it is final, with the problem \
             `operation-window-expired`, the server may have forgotten the command: what it did is not known, and a resend \
             hears the same.",
        ))
        .or(&[KEY, SIGNED])
        .at(HttpMethod::Get, "/v1/operations/{command_id}"),
        about(Said::new(
            "sealOperation",
            "Make sure that a command is never applied",
            "If it was committed already, that is what this answers. One so old that the server may have forgotten it is \
             not sealed, and answered as when it is asked about.",
        ))
        .or(&[KEY, SIGNED, &[Code::OutcomeUnknown]])
        .at(HttpMethod::Post, "/v1/operations/{command_id}/seal"),
    ]
}

fn feed() -> Vec<Route> {
    let limit = any_of([whole(1, i64::from(LIMIT_MAX)).into(), only("").into()]);
    let mut changes = signed(Said::new(
        "readChanges",
        "Read the feed",
        "Each entity that changed since the cursor, once, at its newest state. No cursor: everything.",
    ))
    .with_query("cursor", "Of the page before.", text().into(), Required::False)
    .with_query("limit", "Items of a page; 200 unless given.", limit.into(), Required::False)
    .answers(200, "A page.", "ChangesPage");
    changes.answer_example = Some(entity::page_example());
    let stream = ContentBuilder::new().schema(Some(named("Event")));
    let events = ResponseBuilder::new()
        .description(
            "A stream that stays open: `event: wake` with a `WakeEvent` on connect and when the feed has moved, at most \
             one in 250 ms; `event: presence` with a `PresenceEvent`; `event: session` with a `SessionEvent`, the last; a \
             comment every 20 s.",
        )
        .content("text/event-stream", stream.build());
    let mut wakes = signed(Said::new("readEvents", "Be woken", "That something changed, never what."));
    wakes.operation = wakes.operation.response("200", with_request_id(events).build());
    vec![
        changes.or(&[FEED, SIGNED]).at(HttpMethod::Get, "/v1/changes"),
        wakes.or(&[SIGNED]).at(HttpMethod::Get, "/v1/events"),
        signed(Said::new(
            "markPresence",
            "Say which case one is at",
            "Told at most once to the streams of the tenant, for a minute; kept nowhere. The answer is the same whatever \
             the id is of.",
        ))
        .takes("Presence")
        .answers_nothing("It is said.")
        .or(&[BODY, SIGNED])
        .at(HttpMethod::Post, "/v1/presence"),
    ]
}

fn about_the_server() -> Vec<Route> {
    let figures = ResponseBuilder::new().description("Prometheus text.");
    let figures = figures.content("text/plain", ContentBuilder::new().schema(Some(text())).build());
    let mut metrics = open_to_all(Said::new(
        "readMetrics",
        "The server's figures",
        "For this machine alone, unless the server was given an address for them.",
    ));
    metrics.operation = metrics.operation.response("200", with_request_id(figures).build());
    let document = ResponseBuilder::new().description("OpenAPI 3.1.");
    let any = super::shape::anything("An OpenAPI document.");
    let document = document.content("application/json", ContentBuilder::new().schema(Some(any)).build());
    let mut openapi = open_to_all(Said::new("readOpenApi", "This document", ""));
    openapi.operation = openapi.operation.response("200", with_request_id(document).build());
    vec![
        open_to_all(Said::new("readConfig", "Limits, lifetimes and times", ""))
            .answers(200, "What a client needs to know.", "Config")
            .or(&[])
            .at(HttpMethod::Get, "/v1/config"),
        open_to_all(Said::new("isAlive", "Whether the process answers", ""))
            .answers(200, "It does.", "Health")
            .or(&[])
            .at(HttpMethod::Get, "/healthz"),
        open_to_all(Said::new("isReady", "Whether the server can work", "It tries a write, at most one a second."))
            .answers(200, "It can.", "Health")
            .or(&[])
            .at(HttpMethod::Get, "/readyz"),
        metrics.or(&[HIDDEN]).at(HttpMethod::Get, "/metrics"),
        openapi.or(&[]).at(HttpMethod::Get, "/openapi.json"),
    ]
}

/// How a route is called.
#[derive(Clone, Copy)]
struct Said {
    id: &'static str,
    summary: &'static str,
    description: &'static str,
}

impl Said {
    fn new(id: &'static str, summary: &'static str, description: &'static str) -> Self {
        Self { id, summary, description }
    }
}

/// A route on its way into the document.
struct Draft {
    operation: OperationBuilder,
    body: Option<&'static str>,
    body_example: Option<serde_json::Value>,
    body_examples: Vec<(String, utoipa::openapi::example::Example)>,
    answer: Option<(u16, &'static str, &'static str)>,
    answer_example: Option<serde_json::Value>,
}

/// A route that needs no session.
fn open_to_all(said: Said) -> Draft {
    let operation = OperationBuilder::new().operation_id(Some(said.id)).summary(Some(said.summary));
    let described = (!said.description.is_empty()).then_some(said.description);
    Draft {
        operation: operation.description(described),
        body: None,
        body_example: None,
        body_examples: Vec::new(),
        answer: None,
        answer_example: None,
    }
}

/// A route that needs one.
fn signed(said: Said) -> Draft {
    let draft = open_to_all(said);
    let requirement = SecurityRequirement::new(SECURITY, Vec::<String>::new());
    Draft { operation: draft.operation.security(requirement), ..draft }
}

impl Draft {
    fn takes(mut self, component: &'static str) -> Self {
        self.body = Some(component);
        self
    }

    fn with(mut self, parameter: ParameterBuilder) -> Self {
        self.operation = self.operation.parameter(parameter.build());
        self
    }

    fn with_query(self, name: &str, description: &str, shape: Shape, required: Required) -> Self {
        let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query);
        self.with(parameter.description(Some(description)).required(required).schema(Some(shape)))
    }

    fn answers(mut self, status: u16, description: &'static str, component: &'static str) -> Self {
        self.answer = Some((status, description, component));
        self
    }

    fn answers_nothing(mut self, description: &str) -> Self {
        let response = with_request_id(ResponseBuilder::new().description(description));
        self.operation = self.operation.response("204", response.build());
        self
    }

    fn answers_replayed(mut self, status: u16, description: &str) -> Self {
        let receipt = ContentBuilder::new().schema(Some(named("Receipt"))).example(Some(answer::receipt_example()));
        let replayed = HeaderBuilder::new().schema(Some(only("true")));
        let replayed = replayed.description(Some("There when this is the stored answer to an earlier delivery."));
        let response = ResponseBuilder::new().description(description).content("application/json", receipt.build());
        let response = with_request_id(response).header("Idempotent-Replayed", replayed.build());
        self.operation = self.operation.response(status.to_string(), response.build());
        self
    }

    /// The problems it may say.
    fn or(mut self, groups: &[&[Code]]) -> Self {
        let groups: Vec<&[Code]> = groups.iter().copied().chain([ANY]).collect();
        for (status, response) in problem::responses(&groups) {
            self.operation = self.operation.response(status, response);
        }
        self
    }

    fn at(self, method: HttpMethod, path: &'static str) -> Route {
        let mut operation = self.operation;
        if let Some(component) = self.body {
            let content = ContentBuilder::new().schema(Some(named(component))).example(self.body_example);
            let content = content.examples_from_iter(self.body_examples).build();
            let body = RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True));
            operation = operation.request_body(Some(body.build()));
        }
        if let Some((status, description, component)) = self.answer {
            let content = ContentBuilder::new().schema(Some(named(component))).example(self.answer_example).build();
            let response = ResponseBuilder::new().description(description).content("application/json", content);
            operation = operation.response(status.to_string(), with_request_id(response).build());
        }
        let request_id = ParameterBuilder::new()
            .name("X-Request-Id")
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some("Whatever names this request for its sender: 1 to 128 visible characters."))
            .schema(Some(text()));
        Route { path, method, operation: operation.parameter(request_id.build()).build() }
    }
}
