//! The desktop program's entry; everything is in the library.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

fn main() -> std::process::ExitCode {
    onceover_desktop::run()
}
