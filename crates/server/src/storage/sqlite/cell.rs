//! Reads cells of a group's rows into the types they stand for, and writes ids as the texts they are stored as. A value
//! that does not fit is damage, not a caller's mistake.

use std::str::FromStr;

use domain::{ActorId, CommandId, EntityId, TenantId};
use rusqlite::types::{FromSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql};
use uuid::Uuid;

use crate::storage::StorageError;
use crate::storage::sqlite::groups::fault;
use crate::storage::sqlite::row::damaged;

/// The 36 characters of an id, without memory of their own.
#[derive(Debug, Clone, Copy)]
pub(super) struct IdText([u8; 36]);

impl From<Uuid> for IdText {
    fn from(id: Uuid) -> Self {
        let mut text = [0; 36];
        id.hyphenated().encode_lower(&mut text);
        Self(text)
    }
}

impl ToSql for IdText {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(&self.0)))
    }
}

macro_rules! from_ids {
    ($($id:ident),*) => {$(
        impl From<$id> for IdText {
            fn from(id: $id) -> Self {
                Self::from(id.0)
            }
        }
    )*};
}

from_ids!(ActorId, CommandId, EntityId, TenantId);

/// The column's value.
pub(super) fn get<T: FromSql>(row: &Row<'_>, column: &'static str) -> Result<T, StorageError> {
    row.get(column).map_err(fault)
}

/// The text column, as long as its row is looked at.
pub(super) fn text<'r>(row: &'r Row<'_>, column: &'static str) -> Result<&'r str, StorageError> {
    row.get_ref(column).map_err(fault)?.as_str().map_err(|_| damaged(column))
}

/// The text column, parsed.
pub(super) fn parsed<T: FromStr>(row: &Row<'_>, column: &'static str) -> Result<T, StorageError> {
    text(row, column)?.parse().map_err(|_| damaged(column))
}

/// The text column, parsed, if it is not null.
pub(super) fn parsed_option<T: FromStr>(row: &Row<'_>, column: &'static str) -> Result<Option<T>, StorageError> {
    let text = row.get_ref(column).map_err(fault)?.as_str_or_null().map_err(|_| damaged(column))?;
    text.map(|text| text.parse().map_err(|_| damaged(column))).transpose()
}

/// The integer column as another integer type.
pub(super) fn integer<T: TryFrom<i64>>(row: &Row<'_>, column: &'static str) -> Result<T, StorageError> {
    T::try_from(get::<i64>(row, column)?).map_err(|_| damaged(column))
}

/// The integer column, if it is not null.
pub(super) fn integer_option<T: TryFrom<i64>>(row: &Row<'_>, column: &'static str) -> Result<Option<T>, StorageError> {
    get::<Option<i64>>(row, column)?.map(|n| T::try_from(n).map_err(|_| damaged(column))).transpose()
}

/// The name column, as one of the names `named` knows.
pub(super) fn named<T>(
    row: &Row<'_>,
    column: &'static str,
    named: impl Fn(&str) -> Option<T>,
) -> Result<T, StorageError> {
    named(text(row, column)?).ok_or_else(|| damaged(column))
}
