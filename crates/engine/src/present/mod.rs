//! From rows and base to what windows and programs are shown. Pure, and the same for every store.

pub mod case;
pub mod counts;
pub mod due;
mod notification;
pub mod outbox;
pub mod pending;
mod theirs;

pub use case::{case_detail, case_row, list_mark, newest_first};
pub use counts::counts;
pub use due::due;
pub use notification::{Told, notification};
pub use outbox::{conflict_view, last_sent, outbox_detail, outbox_line, row_view};
pub use pending::{Around, SentTimes, is_sent_time_asked};
pub use theirs::ARCHIVED;
