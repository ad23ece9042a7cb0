//! The receiver from outside: its storage port, its routes over a real socket, and its real process.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

// Where the kind of database makes no difference, or there is only one.
mod attempts;
mod compression;
mod conventions;
mod figures;
mod isolation;
mod limits;
mod moving;
mod nodes;
mod openapi;
mod outage;
mod process;
mod restoring;
mod schema;
mod settings;

/// What holds over every database, told once: these files are part of a module of each, and say `super::Server` and
/// `super::Place` for a server and a database of its kind.
macro_rules! over {
    ($database:ident, $kind:ident) => {
        #[path = "."]
        #[allow(clippy::duplicate_mod, reason = "the same stories over each database")]
        mod $database {
            type Server = crate::support::server::Server<crate::support::$kind>;
            type Place = crate::support::database::Place<crate::support::$kind>;

            mod audit;
            mod batch;
            mod case_work;
            mod checking;
            mod commands;
            mod concurrency;
            mod conformance;
            mod events;
            mod feed;
            mod import;
            mod keeping;
            mod killed;
            mod operations;
            mod presence;
            mod problems;
            mod reconciling;
            mod replay;
            mod rights;
            mod sessions;
            mod tenants;
            mod webhooks;
        }
    };
}

over!(sqlite, Sqlite);
over!(postgres, Postgres);
