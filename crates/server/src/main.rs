//! `onceover-server`: see [`onceover_server::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    onceover_server::cli::main()
}
