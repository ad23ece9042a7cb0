//! A word to the actor, with the pending reading of it.

use domain::{Case, Entity, Notification};

use crate::delivery::OutboxRow;
use crate::mark::mark;
use crate::ports::{Ambient, Base};
use crate::projection::shown;
use crate::view::NotificationView;

/// A notification with what is drawn and said beside it.
pub struct Told {
    /// As the server last said.
    pub notification: Notification,
    /// The case it tells of, as it is shown; `None` if this computer does not hold it.
    pub case: Option<Case>,
    /// The notification's pending and open rows, in enqueue order.
    pub lane: Vec<OutboxRow>,
}

/// The notification as a window and a program show it.
pub fn notification(told: Told, ambient: &Ambient) -> NotificationView {
    let Told { notification, case, lane } = told;
    let base = Base { children: vec![Entity::Notification(notification.clone())], ..Base::default() };
    let drawn = shown(&base, &lane).children.pop();
    let row = drawn.as_ref().and_then(|child| child.row);
    NotificationView {
        notification: match drawn.map(|child| child.entity) {
            Some(Entity::Notification(drawn)) => drawn,
            _ => notification,
        },
        case_label: case.as_ref().and_then(|case| case.number.clone().or_else(|| case.external_id.clone())),
        case_title: case.map(|case| case.title).unwrap_or_default(),
        command_id: row.map(|index| lane[index].command_id),
        mark: row.map(|index| mark(&lane, index, ambient).0),
    }
}
