//! Stories in real windows.
#![allow(clippy::unwrap_used, reason = "a story that cannot go on fails")]

mod closed_right_after_save;
mod conflict;
mod in_doubt;
mod many_cases;
mod office;
mod refused;
mod second_start;
mod sign_in;
mod sync_centre;
mod two_windows_through_a_crash;
