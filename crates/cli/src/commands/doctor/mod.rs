//! `doctor`: looks at everything this program needs, one line each, and changes nothing.

mod profile;
mod server;
mod store;

use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::output::{self, name_of, tame};
use crate::profile::Profile;

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    Ok,
    Warn,
    Fail,
}

/// One line.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    level: Level,
    detail: String,
    /// What it means for the whole call.
    #[serde(skip)]
    exit: Exit,
}

impl Finding {
    fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, level: Level::Ok, detail: detail.into(), exit: Exit::Done }
    }

    fn warn(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, level: Level::Warn, detail: detail.into(), exit: Exit::NeedsPerson }
    }

    fn fail(check: &'static str, exit: Exit, detail: impl Into<String>) -> Self {
        Self { check, level: Level::Fail, detail: detail.into(), exit }
    }
}

pub(crate) async fn run(profile: &Profile) -> Result<Exit, Failure> {
    let home = profile.home();
    let mut findings = vec![profile::folder(&home), profile::free_disk(&home), profile::lock(&home)];
    findings.push(store::library().await);
    let (finding, accounts) = profile::accounts(&home);
    findings.push(finding);
    if let Some(accounts) = accounts {
        findings.push(profile::vault(&home, &accounts).await);
        if let Some(entry) = accounts.current() {
            findings.extend(store::checks(&home, entry).await);
            findings.extend(server::checks(&entry.server).await);
        }
    }
    if profile.json {
        output::document(&findings);
    } else {
        let line = |finding: &Finding| vec![name_of(&finding.level), finding.check.to_owned(), tame(&finding.detail)];
        output::table(&findings.iter().map(line).collect::<Vec<_>>());
    }
    Ok(findings.iter().map(|finding| finding.exit).min().unwrap_or(Exit::Done))
}
