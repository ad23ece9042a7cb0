//! Where a profile's files are.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use domain::{ActorId, TenantId};
use sha2::{Digest, Sha256};

/// A profile's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// The profile in `folder`, which need not exist yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// Makes the folder, readable by its owner only.
    pub fn create(&self) -> io::Result<()> {
        create_folder(&self.folder)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The lock's file.
    pub fn lock_file(&self) -> PathBuf {
        self.folder.join("profile.lock")
    }

    /// The accounts' index.
    pub fn accounts_file(&self) -> PathBuf {
        self.folder.join("accounts.json")
    }

    /// The encrypted vault.
    pub fn vault_file(&self) -> PathBuf {
        self.folder.join("vault")
    }

    /// The logs' folder.
    pub fn logs_folder(&self) -> PathBuf {
        self.folder.join("logs")
    }

    /// The store of one account. Its folder is made by [`Home::create_account`].
    pub fn store_file(&self, name: &str) -> PathBuf {
        self.account_folder(name).join("store.db")
    }

    /// Makes an account's folder.
    pub fn create_account(&self, name: &str) -> io::Result<()> {
        create_folder(&self.account_folder(name))
    }

    fn account_folder(&self, name: &str) -> PathBuf {
        self.folder.join("accounts").join(name)
    }
}

/// The folder name of one account on one server. A digest: two accounts cannot have the same one, and no server or
/// name can lead out of the folder.
pub(crate) fn account_name(server: &str, tenant: TenantId, actor: ActorId) -> String {
    let whole = serde_json::json!([server, tenant, actor]).to_string();
    let mut name = String::new();
    for byte in Sha256::digest(whole.as_bytes()) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// The profile that is used when none is named, by the system's convention for data of programs.
/// `None` where the environment does not say.
pub fn default_home() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        folder("APPDATA").map(|data| data.join("Onceover"))
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support/Onceover"))
    } else {
        let data = folder("XDG_DATA_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/share")));
        data.map(|data| data.join("onceover"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(tenant: &str, actor: &str) -> (TenantId, ActorId) {
        let id = |end: &str| format!("0197f3c2-5a10-7000-8000-0000000000{end}");
        (id(tenant).parse().unwrap(), id(actor).parse().unwrap())
    }

    #[test]
    fn each_account_has_a_folder_of_its_own_inside_the_profile() {
        let mut names = std::collections::BTreeSet::new();
        let servers = ["https://a", "https://a/../../etc", "https://a\",\"b", "C:\\x", "https://a:444", ""];
        for server in servers {
            for (tenant, actor) in [ids("01", "02"), ids("02", "01"), ids("01", "01")] {
                let name = account_name(server, tenant, actor);
                assert!(name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
                assert_eq!(name, account_name(server, tenant, actor));
                names.insert(name);
            }
        }
        assert_eq!(names.len(), servers.len() * 3);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_look_into_a_new_profile() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let home = Home::new(folder.path().join("deep/er"));
        home.create().unwrap();
        home.create_account("x").unwrap();
        for path in [home.folder().to_owned(), home.store_file("x").parent().unwrap().to_owned()] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
