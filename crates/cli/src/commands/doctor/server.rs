//! Whether the server answers, whether it is ours, and how far the clocks are apart.

use client::http::{ServerCheck, ServerUrl, check_server};

use super::Finding;
use crate::exit::Exit;

/// A larger difference makes the times people see misleading. It decides nothing.
const CLOCK_MS_APART: i64 = 60_000;

pub(super) async fn checks(server: &str) -> Vec<Finding> {
    let url = match ServerUrl::parse(server) {
        Ok(url) => url,
        Err(error) => return vec![Finding::fail("server", Exit::BadData, error.to_string())],
    };
    let unreachable = |what: &str| vec![Finding::fail("server", Exit::Unreachable, format!("{url} {what}"))];
    match check_server(&url).await {
        ServerCheck::Unreachable => unreachable("does not answer"),
        ServerCheck::NotOurServer => unreachable("answers, but is not an Onceover server"),
        ServerCheck::Tls => unreachable("has a certificate that is not trusted"),
        ServerCheck::Clock => {
            unreachable("has a certificate that is not valid at this computer's time; look at its clock")
        }
        ServerCheck::Ours { ahead_ms } => vec![Finding::ok("server", format!("{url} answers")), clock(ahead_ms)],
    }
}

fn clock(ahead_ms: Option<i64>) -> Finding {
    const CHECK: &str = "clock";
    match ahead_ms {
        None => Finding::warn(CHECK, "the server did not say its time"),
        Some(ms) if ms.abs() <= CLOCK_MS_APART => Finding::ok(CHECK, "agrees with the server's"),
        Some(ms) => {
            let side = if ms > 0 { "behind" } else { "ahead of" };
            Finding::warn(CHECK, format!("this computer is {} s {side} the server", ms.abs() / 1_000))
        }
    }
}
