//! Boundaries with a name (DESIGN 7). With the feature `failpoints`, the environment says at which of them the process
//! dies or the step fails: `ONCEOVER_FAILPOINT=after-claim`, `after-claim:3` (at the third hit), `after-claim=once`,
//! `after-claim=forever`. Without the feature nothing is left of this.

/// The client's boundaries, in the order a change passes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "named by what lies on each side")]
pub enum Boundary {
    BeforeOutboxWrite,
    AfterOutboxWrite,
    AfterClaim,
    BeforeNetworkSend,
    AfterNetworkSendBeforeResponse,
    AfterResponseBeforeAck,
    AfterAckBeforeProjection,
}

impl Boundary {
    /// Every boundary.
    pub const ALL: [Self; 7] = [
        Self::BeforeOutboxWrite,
        Self::AfterOutboxWrite,
        Self::AfterClaim,
        Self::BeforeNetworkSend,
        Self::AfterNetworkSendBeforeResponse,
        Self::AfterResponseBeforeAck,
        Self::AfterAckBeforeProjection,
    ];

    /// The name in the environment and in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::BeforeOutboxWrite => "before-outbox-write",
            Self::AfterOutboxWrite => "after-outbox-write",
            Self::AfterClaim => "after-claim",
            Self::BeforeNetworkSend => "before-network-send",
            Self::AfterNetworkSendBeforeResponse => "after-network-send-before-response",
            Self::AfterResponseBeforeAck => "after-response-before-ack",
            Self::AfterAckBeforeProjection => "after-ack-before-projection",
        }
    }
}

/// The step shall fail here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

/// Passes a boundary: returns, fails, or ends the process, as the environment says.
#[cfg(not(feature = "failpoints"))]
#[inline]
pub fn hit(_boundary: Boundary) -> Result<(), Failed> {
    Ok(())
}

/// Passes a boundary: returns, fails, or ends the process, as the environment says.
#[cfg(feature = "failpoints")]
pub fn hit(boundary: Boundary) -> Result<(), Failed> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static HITS: AtomicU32 = AtomicU32::new(0);
    let Some(plan) = std::env::var("ONCEOVER_FAILPOINT").ok().and_then(|text| Plan::read(&text)) else {
        return Ok(());
    };
    if plan.boundary != boundary.name() {
        return Ok(());
    }
    let hits = HITS.fetch_add(1, Ordering::SeqCst) + 1;
    match plan.what {
        What::Dies(at) if hits == at => std::process::abort(),
        What::Fails { forever } if forever || hits == 1 => Err(Failed),
        What::Dies(_) | What::Fails { .. } => Ok(()),
    }
}

#[cfg(any(test, feature = "failpoints"))]
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    boundary: String,
    what: What,
}

#[cfg(any(test, feature = "failpoints"))]
#[derive(Debug, PartialEq, Eq)]
enum What {
    Dies(u32),
    Fails { forever: bool },
}

#[cfg(any(test, feature = "failpoints"))]
impl Plan {
    fn read(text: &str) -> Option<Self> {
        let (boundary, what) = match text.split_once('=') {
            Some((boundary, "once")) => (boundary, What::Fails { forever: false }),
            Some((boundary, "forever")) => (boundary, What::Fails { forever: true }),
            Some(_) => return None,
            None => match text.split_once(':') {
                Some((boundary, at)) => (boundary, What::Dies(at.parse().ok()?)),
                None => (text, What::Dies(1)),
            },
        };
        Some(Self { boundary: boundary.to_owned(), what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_a_boundary_and_what_happens_there() {
        let plan = |boundary: &str, what| Some(Plan { boundary: boundary.to_owned(), what });
        assert_eq!(Plan::read("after-claim"), plan("after-claim", What::Dies(1)));
        assert_eq!(Plan::read("after-claim:3"), plan("after-claim", What::Dies(3)));
        assert_eq!(Plan::read("after-claim=once"), plan("after-claim", What::Fails { forever: false }));
        assert_eq!(Plan::read("after-claim=forever"), plan("after-claim", What::Fails { forever: true }));
        assert_eq!(Plan::read("after-claim=now and then"), None);
        assert_eq!(Plan::read("after-claim:x"), None);
    }
}
