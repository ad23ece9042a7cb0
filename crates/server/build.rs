//! Tells cargo that the embedded migrations are part of the program.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
