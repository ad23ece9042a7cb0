//! The report as a table for people.

use crate::figure::{Figure, Limit};

/// One line per figure.
pub(crate) fn table(figures: &[Figure]) -> String {
    let head = format!("{:<34}{:>14} {:<14}{:>12}  {}\n", "figure", "value", "unit", "limit", "");
    std::iter::once(head).chain(figures.iter().map(row)).collect()
}

fn row(figure: &Figure) -> String {
    let limit = match figure.limit {
        Some(Limit::AtLeast(least)) => format!(">= {least}"),
        Some(Limit::AtMost(most)) => format!("<= {most}"),
        None => String::new(),
    };
    let passed = match figure.passed {
        Some(true) => "ok",
        Some(false) => "MISSED",
        None => "",
    };
    let value =
        if figure.value.abs() >= 1_000.0 { format!("{:.0}", figure.value) } else { format!("{:.3}", figure.value) };
    format!("{:<34}{value:>14} {:<14}{limit:>12}  {passed}\n", figure.name, figure.unit)
}
