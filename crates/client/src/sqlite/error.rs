//! What SQLite and sqlx say, in the store's own words.

use engine::ports::StoreError;

const PERM: i64 = 3;
const READONLY: i64 = 8;
const IOERR_SHMSIZE: i64 = 0x130a;
const CORRUPT: i64 = 11;
const FULL: i64 = 13;
const CANTOPEN: i64 = 14;
const CONSTRAINT: i64 = 19;
const AUTH: i64 = 23;
const NOTADB: i64 = 26;

/// Why a unit of work did not happen, from what the database said.
pub(super) fn of(error: sqlx::Error) -> StoreError {
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().and_then(|code| code.parse::<i64>().ok()).unwrap_or_default();
            of_code(code, error.message())
        }
        sqlx::Error::Io(error) => of_io(&error),
        error @ (sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)) => StoreError::Damaged(error.to_string()),
        error => StoreError::Io(error.to_string()),
    }
}

fn of_code(code: i64, message: &str) -> StoreError {
    match code & 0xff {
        // The shared memory file of the WAL cannot grow: the disk is full.
        _ if code == IOERR_SHMSIZE => StoreError::Full,
        FULL => StoreError::Full,
        PERM | READONLY | CANTOPEN | AUTH => StoreError::ReadOnly,
        CORRUPT | NOTADB => StoreError::Damaged(message.to_owned()),
        CONSTRAINT => StoreError::Illegal(message.to_owned()),
        _ => StoreError::Io(message.to_owned()),
    }
}

/// The same for what the file system said.
pub(super) fn of_io(error: &std::io::Error) -> StoreError {
    use std::io::ErrorKind as K;
    match error.kind() {
        K::StorageFull | K::QuotaExceeded => StoreError::Full,
        K::PermissionDenied | K::ReadOnlyFilesystem => StoreError::ReadOnly,
        _ => StoreError::Io(error.to_string()),
    }
}

/// A step that the states do not allow.
pub(super) fn illegal(error: impl std::fmt::Display) -> StoreError {
    StoreError::Illegal(error.to_string())
}
