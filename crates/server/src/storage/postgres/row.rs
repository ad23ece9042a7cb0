//! Reads columns into the types they stand for. A value that does not fit is damage, not a caller's mistake.

use domain::{ActorId, CommandId, EntityId, TenantId, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{Postgres, Row as _, Type};
use uuid::Uuid;

use crate::storage::StorageError;
use crate::storage::webhook::EndpointId;

/// The column's value.
pub(super) fn get<'r, T>(row: &'r PgRow, column: &'static str) -> Result<T, StorageError>
where
    T: sqlx::Decode<'r, Postgres> + Type<Postgres>,
{
    row.try_get(column).map_err(|error| StorageError::Broken(error.to_string()))
}

/// The id column.
pub(super) fn id<T: FromUuid>(row: &PgRow, column: &'static str) -> Result<T, StorageError> {
    get(row, column).map(T::of)
}

/// The id column, if it is not null.
pub(super) fn id_option<T: FromUuid>(row: &PgRow, column: &'static str) -> Result<Option<T>, StorageError> {
    Ok(get::<Option<Uuid>>(row, column)?.map(T::of))
}

/// The integer column as another integer type.
pub(super) fn integer<T: TryFrom<i64>>(row: &PgRow, column: &'static str) -> Result<T, StorageError> {
    T::try_from(get::<i64>(row, column)?).map_err(|_| damaged(column))
}

/// The integer column, if it is not null.
pub(super) fn integer_option<T: TryFrom<i64>>(row: &PgRow, column: &'static str) -> Result<Option<T>, StorageError> {
    get::<Option<i64>>(row, column)?.map(|n| T::try_from(n).map_err(|_| damaged(column))).transpose()
}

/// The time column.
pub(super) fn time(row: &PgRow, column: &'static str) -> Result<Timestamp, StorageError> {
    get(row, column).map(Timestamp)
}

/// The name column, as one of the names `named` knows.
pub(super) fn named<T>(
    row: &PgRow,
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

/// The types of ids.
pub(super) trait FromUuid {
    /// The id.
    fn of(id: Uuid) -> Self;
}

impl FromUuid for Uuid {
    fn of(id: Uuid) -> Self {
        id
    }
}

macro_rules! from_uuid {
    ($($name:ident)*) => {$(
        impl FromUuid for $name {
            fn of(id: Uuid) -> Self {
                Self(id)
            }
        }
    )*};
}

from_uuid! { TenantId ActorId CommandId EntityId EndpointId }
