//! Stories in real windows.

mod two_windows_through_a_crash;
