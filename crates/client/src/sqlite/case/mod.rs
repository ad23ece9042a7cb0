//! Cases: the base as the server last said it, the list drawn over it, pages and windows.

mod base;
mod detail;
mod draw;
mod notification;
mod page;
mod query;

pub(super) use base::{base, base_case, base_cases, base_of, ground, members, timelines};
pub(super) use detail::detail;
pub(super) use draw::{draw, draw_all, rename_assignee};
pub(super) use notification::{case_of, notifications};
pub(super) use page::{page, view_counts};
