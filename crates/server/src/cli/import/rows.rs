//! Reads a file's rows with their line numbers. A row that cannot be read is one bad row, not a bad file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Columns by name, as texts.
pub(super) type Columns = BTreeMap<String, String>;

/// One row, or why it is none.
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) columns: Result<Columns, String>,
}

/// The rows of a `.jsonl` or `.csv` file.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, String> {
    let bytes = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("jsonl" | "ndjson") => Ok(read_json_lines(bytes)),
        Some("csv") => read_csv(bytes).map_err(|error| format!("{}: {error}", path.display())),
        _ => Err(format!("{} is neither .jsonl nor .csv", path.display())),
    }
}

fn read_json_lines(bytes: &[u8]) -> Vec<Row> {
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let filled = lines.filter(|(_, line)| !line.iter().all(u8::is_ascii_whitespace));
    filled.map(|(index, line)| Row { line: index + 1, columns: json_columns(line) }).collect()
}

fn json_columns(line: &[u8]) -> Result<Columns, String> {
    let value = wire::json::read_strict(line).map_err(|error| format!("is not I-JSON: {error}"))?;
    let Value::Object(map) = value else { return Err("is not a JSON object".to_owned()) };
    map.into_iter()
        .map(|(name, value)| match value {
            Value::Null => Ok((name, String::new())),
            Value::String(text) => Ok((name, text)),
            Value::Number(_) | Value::Bool(_) => Ok((name, value.to_string())),
            Value::Array(_) | Value::Object(_) => Err(format!("column {name:?} is neither text nor number")),
        })
        .collect()
}

fn read_csv(bytes: &[u8]) -> Result<Vec<Row>, String> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let headings = reader.headers().map_err(|error| format!("the heading cannot be read: {error}"))?.clone();
    let mut rows = Vec::new();
    let mut record = csv::ByteRecord::new();
    loop {
        let line = usize::try_from(reader.position().line()).unwrap_or(usize::MAX);
        match reader.read_byte_record(&mut record) {
            Ok(true) => rows.push(csv_row(&headings, &record, line)),
            Ok(false) => return Ok(rows),
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn csv_row(headings: &csv::StringRecord, record: &csv::ByteRecord, line_before: usize) -> Row {
    let line = record.position().and_then(|position| usize::try_from(position.line()).ok()).unwrap_or(line_before);
    if record.len() != headings.len() {
        let reason = format!("has {} fields, the heading has {}", record.len(), headings.len());
        return Row { line, columns: Err(reason) };
    }
    let columns = headings.iter().zip(record.iter()).map(|(name, value)| {
        let text = std::str::from_utf8(value).map_err(|_| format!("column {name:?} is not UTF-8"))?;
        Ok((name.to_owned(), text.to_owned()))
    });
    Row { line, columns: columns.collect() }
}
