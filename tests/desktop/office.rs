//! The people of the desktop stories and the cases they share: Mara Okafor at the desktop, Dana Ruiz at a command line
//! elsewhere.

use onceover_tests::cli::Cli;
use onceover_tests::server::{PASSWORD, Server, TENANT};
use serde_json::Value;
use tempfile::TempDir;

/// A server with its two officers; Dana is signed in.
pub(crate) struct Office {
    /// The server they work with.
    pub(crate) server: Server,
    /// Dana's command line.
    pub(crate) dana: Cli,
    _home: TempDir,
}

impl Office {
    pub(crate) fn opened() -> Self {
        let server = running_server();
        let home = tempfile::tempdir().unwrap();
        let dana = Cli::in_home(home.path());
        dana.sign_in(&server.url(), "dana");
        Self { server, dana, _home: home }
    }

    /// A case of Mara's, opened by Dana. Returns its id.
    pub(crate) fn case_of_mara(&self, title: &str) -> String {
        let create = ["case", "create", "--title", title, "--kind", "complaint", "--priority", "high"];
        let fields = ["--set", "status=open", "--set", "address=6975 Hermosa Ave", "--set", "due_on=2099-12-11"];
        let created = self.dana_does(&[&create[..], &fields].concat());
        let case = created["case_id"].as_str().unwrap().to_owned();
        self.dana_does(&["case", "assign", &case, "--to", "mara"]);
        case
    }

    /// Dana does something, and the server has it.
    pub(crate) fn dana_does(&self, args: &[&str]) -> Value {
        let said = self.dana.run(args);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.errors);
        let sync = self.dana.run(&["sync"]);
        assert_eq!(sync.code, Some(0), "sync: {}", sync.errors);
        said.json
    }

    /// How often an operation of this name took effect.
    pub(crate) fn effects_of(&self, operation: &str) -> usize {
        let audit = self.server.audit();
        audit.iter().filter(|row| row["operation"] == operation && row["result"] == "committed").count()
    }
}

/// A server that both may sign in to.
pub(crate) fn running_server() -> Server {
    let mut server = Server::prepared(&[]);
    for (user, name) in [("mara", "Mara Okafor"), ("dana", "Dana Ruiz")] {
        let args = ["user", "add", "--tenant", TENANT, "--username", user, "--display-name", name, "--role", "officer"];
        server.admin(&[&args[..], &["--password-stdin"]].concat(), PASSWORD);
    }
    server.start();
    server
}

/// The selector of a case's row in the list.
pub(crate) fn row(case: &str) -> String {
    format!("[data-testid='case-row'][data-id='{case}']")
}

/// The selector of the mark in that row.
pub(crate) fn row_mark(case: &str) -> String {
    format!("{} [data-testid='row-mark']", row(case))
}
