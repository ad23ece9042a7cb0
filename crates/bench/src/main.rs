//! `onceover-bench`: measures the receiver. Every figure stands beside a yardstick taken in the same run, in
//! alternating rounds, so that a slow or busy machine slows both. `cargo xtask bench` builds and runs it.

mod bench;
mod cases;
mod figure;
mod figures;
mod load;
mod machine;
mod process;
mod rounds;
mod server;
mod session;
mod table;
mod yardstick;

use anyhow::Result;
use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

/// The yardstick has what the server has.
#[global_allocator]
static MEMORY: MiMalloc = MiMalloc;

#[derive(Parser)]
#[command(name = "onceover-bench", about = "Measures the receiver; run it by `cargo xtask bench`")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Measure the receiver
    Receive(bench::Options),
    /// Serve the bare SQLite receiver, which the receiver is compared with
    #[command(hide = true)]
    Bare(yardstick::bare::Options),
}

fn main() -> Result<()> {
    match Cli::parse().task {
        Task::Receive(options) => bench::run(options),
        Task::Bare(options) => yardstick::bare::serve(&options),
    }
}
