//! What the people of the demo did with the cases before you came: planned from a seed, then really done by them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, anyhow};

use super::people::{Organization, Person};
use super::profile::Profile;
use crate::generate::GeneratedCase;
use crate::generate::random::Random;
use crate::generate::words;

/// One thing someone does to a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    Assign { to: &'static str },
    Transition { to: &'static str, reason: &'static str },
    Note { text: &'static str },
    Tag { tag: String },
}

/// Whose acts these are, each with the case's id in the imported file.
pub(crate) type Acts = BTreeMap<&'static str, Vec<(String, Act)>>;

/// What happened in three rounds: the supervisor assigns, the officers work, the supervisor closes. Within a round
/// nobody depends on another.
pub(crate) fn plan(seed: u64, organization: &Organization, cases: &[GeneratedCase]) -> [Acts; 3] {
    let mut random = Random::seeded(seed);
    let mut rounds = [Acts::new(), Acts::new(), Acts::new()];
    let Some(supervisor) = organization.with_role("supervisor").first().map(|person| person.username) else {
        return rounds;
    };
    let officers = organization.with_role("officer");
    let mut left: Vec<usize> = (0..cases.len()).collect();
    for (place, officer) in officers.iter().enumerate() {
        // The first one, who signs in, has the most.
        for _ in 0..(48_usize.saturating_sub(place * 12)).min(left.len() / 4) {
            let case = &cases[left.swap_remove(random.below(left.len()))];
            let mut act = |round: usize, who: &'static str, act: Act| {
                rounds[round].entry(who).or_default().push((case.external_id.clone(), act));
            };
            act(0, supervisor, Act::Assign { to: officer.username });
            let colleague = officers[random.below(officers.len())].username;
            one_case(case, officer.username, colleague, supervisor, &mut random, &mut act);
        }
    }
    rounds
}

fn one_case(
    case: &GeneratedCase,
    officer: &'static str,
    colleague: &'static str,
    supervisor: &'static str,
    random: &mut Random,
    act: &mut impl FnMut(usize, &'static str, Act),
) {
    let note = |random: &mut Random| Act::Note { text: random.pick(words::NOTES) };
    for tag in &case.tags {
        act(1, officer, Act::Tag { tag: tag.clone() });
    }
    if random.percent(55) {
        act(1, officer, note(random));
    }
    if random.percent(30) {
        return;
    }
    act(1, officer, Act::Transition { to: "under_review", reason: "site_visit" });
    if random.percent(50) {
        act(1, officer, note(random));
    }
    match random.below(10) {
        0..3 => act(1, officer, Act::Transition { to: "pending_info", reason: "waiting_for_owner" }),
        3..5 => {
            act(1, officer, Act::Transition { to: "resolved", reason: "corrected" });
            if random.percent(60) {
                act(2, supervisor, Act::Transition { to: "closed", reason: "verified" });
            }
        }
        _ => {}
    }
    if colleague != officer && random.percent(40) {
        act(2, colleague, note(random));
    }
}

/// Lets everyone do their part of `rounds` through the command line: saved offline, then sent.
///
/// # Errors
/// Something a person did was not received.
pub(crate) fn play(
    program: &Path,
    folder: &Path,
    server: &str,
    organization: &Organization,
    rounds: &[Acts],
) -> Result<usize> {
    let mut profiles = BTreeMap::new();
    for acts in rounds {
        for who in acts.keys() {
            if !profiles.contains_key(who) {
                let person = organization.people.iter().find(|person| person.username == *who);
                let person: &Person = person.with_context(|| format!("{who} is nobody in {}", organization.slug))?;
                profiles.insert(*who, Profile::sign_in(program, folder, server, organization, person)?);
            }
        }
    }
    let mut done = 0;
    for acts in rounds {
        std::thread::scope(|scope| {
            let one = |who: &&'static str, acts: &[(String, Act)]| {
                work(&profiles[*who], acts).with_context(|| format!("what {who} did"))
            };
            let running: Vec<_> = acts.iter().map(|(who, acts)| scope.spawn(move || one(who, acts))).collect();
            running.into_iter().try_for_each(|thread| thread.join().map_err(|_| anyhow!("a thread panicked"))?)
        })?;
        done += acts.values().map(Vec::len).sum::<usize>();
    }
    Ok(done)
}

fn work(profile: &Profile, acts: &[(String, Act)]) -> Result<()> {
    profile.sync()?;
    let ids = profile.case_ids()?;
    for (external_id, act) in acts {
        let id = ids.get(external_id).with_context(|| format!("{external_id} is not in the list"))?;
        profile.run(&arguments(id, act)).with_context(|| format!("{act:?} on {external_id}"))?;
    }
    profile.sync()
}

fn arguments<'a>(id: &'a str, act: &'a Act) -> Vec<&'a str> {
    match act {
        Act::Assign { to } => vec!["case", "assign", id, "--to", to],
        Act::Transition { to, reason } => vec!["case", "transition", id, "--to", to, "--reason", reason],
        Act::Note { text } => vec!["note", "add", id, "--text", text],
        Act::Tag { tag } => vec!["tag", "add", id, tag],
    }
}

#[cfg(test)]
mod tests {
    use domain::Status;
    use jiff::civil::date;

    use super::super::people::{FIRST, HARBOR_CITY, LAKESIDE};
    use super::*;
    use crate::generate::{cases, town};

    fn planned(organization: &Organization, count: usize) -> [Acts; 3] {
        plan(5, organization, &cases(5, count, date(2026, 11, 30), &town::HARBOR_CITY).unwrap())
    }

    #[test]
    fn the_officer_who_signs_in_has_forty_to_sixty_cases() {
        let [assigned, ..] = planned(&HARBOR_CITY, 2_000);
        let hers = assigned["priya"].iter().filter(|(_, act)| *act == Act::Assign { to: FIRST.username });
        assert!((40..=60).contains(&hers.count()));
    }

    #[test]
    fn every_planned_transition_is_one_the_domain_allows() {
        let mut status: BTreeMap<String, Status> = BTreeMap::new();
        for (case, act) in planned(&HARBOR_CITY, 2_000).iter().flat_map(|round| round.values().flatten()) {
            if let Act::Transition { to, .. } = act {
                let from = status.entry(case.clone()).or_insert(Status::Open);
                let to = Status::named(to).unwrap();
                assert!(from.may_become(to), "{case}: {from:?} to {to:?}");
                *from = to;
            }
        }
        assert!(status.len() > 50);
    }

    #[test]
    fn few_cases_are_enough() {
        for count in [0, 1, 5] {
            planned(&LAKESIDE, count);
        }
    }
}
