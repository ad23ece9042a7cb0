//! `onceover-server`: see [`onceover_server::cli`].

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// What one thread takes another gives back here all the time, which this is made for.
#[global_allocator]
static MEMORY: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    onceover_server::cli::main()
}
