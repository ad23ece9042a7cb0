//! Stories in real windows.

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
