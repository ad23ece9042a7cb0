//! Reads columns into the types they stand for. A value that does not fit is damage, not a caller's mistake.

use std::str::FromStr;

use domain::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, Sqlite, Type};

use crate::command::answer::json;
use crate::storage::StorageError;
use crate::storage::sqlite::writer::fault;

/// The column's value.
pub(super) fn get<'r, T>(row: &'r SqliteRow, column: &'static str) -> Result<T, StorageError>
where
    T: sqlx::Decode<'r, Sqlite> + Type<Sqlite>,
{
    row.try_get(column).map_err(fault)
}

/// The text column, parsed.
pub(super) fn parsed<T: FromStr>(row: &SqliteRow, column: &'static str) -> Result<T, StorageError> {
    let text: &str = get(row, column)?;
    text.parse().map_err(|_| damaged(column))
}

/// The text column, parsed, if it is not null.
pub(super) fn parsed_option<T: FromStr>(row: &SqliteRow, column: &'static str) -> Result<Option<T>, StorageError> {
    let text: Option<&str> = get(row, column)?;
    text.map(|text| text.parse().map_err(|_| damaged(column))).transpose()
}

/// The integer column as another integer type.
pub(super) fn integer<T: TryFrom<i64>>(row: &SqliteRow, column: &'static str) -> Result<T, StorageError> {
    T::try_from(get::<i64>(row, column)?).map_err(|_| damaged(column))
}

/// The integer column, if it is not null.
pub(super) fn integer_option<T: TryFrom<i64>>(
    row: &SqliteRow,
    column: &'static str,
) -> Result<Option<T>, StorageError> {
    get::<Option<i64>>(row, column)?.map(|n| T::try_from(n).map_err(|_| damaged(column))).transpose()
}

/// The time column.
pub(super) fn time(row: &SqliteRow, column: &'static str) -> Result<Timestamp, StorageError> {
    get(row, column).map(Timestamp)
}

/// The name column, as one of the names `named` knows.
pub(super) fn named<T>(
    row: &SqliteRow,
    column: &'static str,
    named: impl Fn(&str) -> Option<T>,
) -> Result<T, StorageError> {
    named(get(row, column)?).ok_or_else(|| damaged(column))
}

/// A stored value that we never wrote.
pub(super) fn damaged(what: &str) -> StorageError {
    StorageError::Broken(format!("damaged value in {what}"))
}

/// An integer for the database.
pub(super) fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Ids as a JSON array of texts, for `json_each`.
pub(super) fn texts<T: ToString>(ids: impl IntoIterator<Item = T>) -> String {
    json(&ids.into_iter().map(|id| id.to_string()).collect::<Vec<_>>())
}
