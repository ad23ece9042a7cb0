//! Made-up cases, as many as wanted: the same seed, day and number give the same bytes. No real place or person.

pub(crate) mod random;
pub(crate) mod town;
pub(crate) mod words;

use std::io::Write;

use anyhow::{Context, Result, ensure};
use jiff::ToSpan;
use jiff::civil::Date;
use serde::{Serialize, Serializer};

use random::Random;
use town::Town;

/// One generated case, as a line of JSON for `onceover-server import`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GeneratedCase {
    /// `CE-` and six digits; unique in its run.
    pub(crate) external_id: String,
    pub(crate) title: String,
    pub(crate) kind: &'static str,
    pub(crate) priority: &'static str,
    pub(crate) description: String,
    pub(crate) address: String,
    /// `1` to `9`.
    pub(crate) district: String,
    pub(crate) latitude: Option<f64>,
    pub(crate) longitude: Option<f64>,
    pub(crate) due_on: Option<String>,
    /// One column: a file's columns are texts and numbers.
    #[serde(serialize_with = "comma_separated")]
    pub(crate) tags: Vec<String>,
}

fn comma_separated<S: Serializer>(tags: &[String], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(&tags.join(", "))
}

/// How many numbers `CE-######` has from the first one used.
const NUMBERS: i64 = 999_999 - FIRST_NUMBER;
const FIRST_NUMBER: i64 = 410_000;

/// `count` cases of `town` with due dates around `today`.
///
/// # Errors
/// More cases than there are case numbers.
pub(crate) fn cases(seed: u64, count: usize, today: Date, town: &Town) -> Result<Vec<GeneratedCase>> {
    let spread = i64::try_from(count).ok().and_then(|count| NUMBERS.checked_div(count.max(1))).unwrap_or(0);
    ensure!(spread > 0, "at most {NUMBERS} cases can be generated");
    let mut random = Random::seeded(seed);
    let mut number = FIRST_NUMBER;
    (0..count)
        .map(|_| {
            number += random.between(1, spread.min(97));
            case(number, today, town, &mut random)
        })
        .collect()
}

fn case(number: i64, today: Date, town: &Town, random: &mut Random) -> Result<GeneratedCase> {
    let problem = &words::PROBLEMS[random.below(words::PROBLEMS.len())];
    let position = (!random.percent(15)).then(|| town.position(random));
    Ok(GeneratedCase {
        external_id: format!("CE-{number:06}"),
        title: title(problem, random),
        kind: problem.kind,
        priority: random.weighted(&[(15, "low"), (60, "normal"), (20, "high"), (5, "urgent")]),
        description: description(problem, random),
        address: town.address(random),
        district: random.between(1, 9).to_string(),
        latitude: position.map(|(latitude, _)| latitude),
        longitude: position.map(|(_, longitude)| longitude),
        due_on: due_on(today, random)?,
        tags: tags(problem, random),
    })
}

fn title(problem: &words::Problem, random: &mut Random) -> String {
    let title = match random.below(3) {
        0 => format!("{}, {}", problem.title, random.pick(words::PLACES)),
        _ => problem.title.to_owned(),
    };
    if random.percent(12) { title.to_uppercase() } else { title }
}

fn description(problem: &words::Problem, random: &mut Random) -> String {
    let mut text = format!("{} {}.", random.pick(words::FIRST), problem.wording);
    for _ in 0..random.below(4) {
        let sentence = random.pick(words::THEN);
        if !text.contains(sentence) {
            text.push(' ');
            text.push_str(sentence);
        }
    }
    if random.percent(12) { text.to_uppercase() } else { text }
}

/// A fifth overdue, some today, many this week, the rest within two months; one in eight has none.
fn due_on(today: Date, random: &mut Random) -> Result<Option<String>> {
    let days = match random.below(100) {
        0..12 => return Ok(None),
        12..32 => random.between(-30, -1),
        32..38 => 0,
        38..62 => random.between(1, 7),
        _ => random.between(8, 60),
    };
    let date = today.checked_add(days.days()).context("put the due dates around the day given")?;
    Ok(Some(date.to_string()))
}

fn tags(problem: &words::Problem, random: &mut Random) -> Vec<String> {
    let mut tags = Vec::new();
    if random.percent(40) {
        tags.push(problem.tag.to_owned());
    }
    if random.percent(15) {
        tags.push(random.pick(words::TAGS).to_owned());
    }
    tags.sort();
    tags
}

/// Writes one line of JSON per case.
pub(crate) fn write_lines(cases: &[GeneratedCase], mut out: impl Write) -> Result<()> {
    for case in cases {
        serde_json::to_writer(&mut out, case).context("write a case")?;
        writeln!(out).context("write a case")?;
    }
    out.flush().context("write the cases")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::{CaseField, FieldValue};
    use jiff::civil::date;

    use super::*;

    fn lines(seed: u64, count: usize) -> Vec<u8> {
        let mut out = Vec::new();
        write_lines(&cases(seed, count, date(2026, 11, 30), &town::HARBOR_CITY).unwrap(), &mut out).unwrap();
        out
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_does_not() {
        assert_eq!(lines(7, 300), lines(7, 300));
        assert_ne!(lines(7, 300), lines(8, 300));
    }

    #[test]
    fn every_case_has_a_number_of_its_own() {
        for count in [2_000, 100_000] {
            let cases = cases(1, count, date(2026, 11, 30), &town::LAKESIDE).unwrap();
            let numbers: BTreeSet<&str> = cases.iter().map(|case| case.external_id.as_str()).collect();
            assert_eq!(numbers.len(), count);
            assert!(numbers.iter().all(|id| id.len() == 9 && id.starts_with("CE-")));
        }
    }

    #[test]
    fn more_cases_than_numbers_are_refused() {
        assert!(cases(1, 700_000, date(2026, 11, 30), &town::LAKESIDE).is_err());
    }

    #[test]
    fn every_value_is_one_the_domain_takes() {
        for town in [&town::HARBOR_CITY, &town::LAKESIDE] {
            for case in cases(3, 2_000, date(2024, 2, 29), town).unwrap() {
                let serde_json::Value::Object(line) = serde_json::to_value(&case).unwrap() else { panic!() };
                for field in CaseField::ALL {
                    let value = FieldValue::read(&line[field.name()]).unwrap();
                    assert_eq!(field.check(&value), Ok(()), "{} of {}", field.name(), case.external_id);
                }
                assert!(case.tags.iter().all(|tag| (1..=60).contains(&tag.chars().count())));
            }
        }
    }
}
