//! Where words go: documents to standard output, messages to standard error.

use std::io::{self, Write};
use std::sync::OnceLock;

use serde::Serialize;
use serde_json::Value;

/// Why standard output did not take everything.
static FAILURE: OnceLock<io::Error> = OnceLock::new();

/// What was printed is printed, or why it is not. A reader that went away has nothing more to be told.
pub(crate) fn finish() -> Result<(), &'static io::Error> {
    keep(io::stdout().lock().flush());
    FAILURE.get().map_or(Ok(()), Err)
}

fn keep(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        FAILURE.get_or_init(|| error);
    }
}

/// One JSON document on standard output.
pub(crate) fn document(value: &impl Serialize) {
    let text = serde_json::to_string_pretty(value).expect("views are plain data with text keys");
    line(&text);
}

/// One line on standard output.
pub(crate) fn line(text: &str) {
    keep(writeln!(io::stdout().lock(), "{text}"));
}

/// One line on standard error.
pub(crate) fn message(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Rows with aligned columns on standard output, the last one as long as it is.
pub(crate) fn table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        line(cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// A name from the contract (`retryable_failed`) as serde writes it.
pub(crate) fn name_of(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(name)) => name,
        Ok(Value::Null) | Err(_) => String::new(),
        Ok(other) => other.to_string(),
    }
}

/// One line of text that may have been typed by anybody: no line breaks and no terminal controls.
pub(crate) fn tame(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
