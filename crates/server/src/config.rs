//! What an administrator can set, and where: the command line wins over the environment, that over the file, that
//! over the defaults. The table below is the only list of settings; docs/onceover-server.toml shows each one.

mod value;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

pub use value::{Address, Hidden, LogFormat, Networks, OptionalAddress, OptionalText, ProxyHeader, Text, Whole};

/// How a setting is named in the environment: this, and its name in capitals.
const PREFIX: &str = "ONCEOVER_";

macro_rules! settings {
    ($($(#[doc = $doc:literal])* $name:ident: $kind:ty = $default:expr;)*) => {
        /// The settings that one place names; what it does not name is `None`.
        #[derive(Debug, Default, Clone, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Settings { $($(#[doc = $doc])* pub $name: Option<$kind>,)* }

        /// Every setting, decided.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Config { $($(#[doc = $doc])* pub $name: $kind,)* }

        impl Settings {
            /// The name of every setting.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name),)*];

            /// These settings, and where they say nothing `lower`'s.
            #[must_use]
            pub fn or(self, lower: Self) -> Self {
                Self { $($name: self.$name.or(lower.$name),)* }
            }

            /// What `lookup` says for the environment's names; an empty text says nothing.
            ///
            /// # Errors
            /// A value does not fit; the error names its variable.
            pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
                let mut settings = Self::default();
                $(
                    let variable = format!("{PREFIX}{}", stringify!($name).to_uppercase());
                    if let Some(text) = lookup(&variable).filter(|text| !text.is_empty()) {
                        let read = text.parse::<$kind>();
                        settings.$name = Some(read.map_err(|cause| ConfigError::Variable { variable, cause })?);
                    }
                )*
                Ok(settings)
            }
        }

        impl From<Settings> for Config {
            fn from(settings: Settings) -> Self {
                Self { $($name: settings.$name.unwrap_or_else(|| $default),)* }
            }
        }
    };
}

settings! {
    /// Address and port to answer at; port 0 picks a free one.
    listen: Address = Address(SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)));
    /// `sqlite:PATH` or `postgres://…`.
    database: Text = Text("sqlite:onceover.db".to_owned());
    /// Connections to PostgreSQL; SQLite needs no number.
    database_connections: Whole<2, 1000> = Whole(16);
    /// The file of the server key; empty: beside the file of SQLite, or `onceover.key`.
    key_file: OptionalText = OptionalText(None);
    /// A second address that answers `/metrics` alone; empty: `/metrics` is at `listen`, for this machine only.
    metrics_listen: OptionalAddress = OptionalAddress(None);
    /// What is logged: a level, or a list of `target=level`.
    log: Text = Text(std::env::var("RUST_LOG").ok().filter(|log| !log.is_empty()).unwrap_or_else(|| "warn".to_owned()));
    /// `human` or `json`.
    log_format: LogFormat = LogFormat::Human;
    /// Networks whose word about whom they speak for is taken.
    trusted_proxies: Networks = Networks::default();
    /// The header that the trusted proxies write: `x-forwarded-for` or `forwarded`.
    proxy_header: ProxyHeader = ProxyHeader::XForwardedFor;
    /// Connections at once; one more is told to come back.
    connections: Whole<1, 1_000_000> = Whole(4096);
    /// How long a request's head may take.
    head_s: Whole<1, 600> = Whole(10);
    /// How long a body may take, and a second more for each 4 KiB of it.
    body_s: Whole<1, 600> = Whole(30);
    /// How long a client may take nothing of an answer that waits for it.
    write_s: Whole<1, 600> = Whole(30);
    /// How long a connection may wait for its next request.
    idle_s: Whole<1, 86_400> = Whole(120);
    /// After a request to stop: how long `/readyz` says so while connections are still taken.
    unready_s: Whole<0, 600> = Whole(0);
    /// After that: how long requests in hand may take.
    drain_s: Whole<1, 600> = Whole(20);
    /// Bytes of a request's head: its line and its headers.
    head_bytes: Whole<4096, 262_144> = Whole(32_768);
    /// Bytes of a request's body.
    body_bytes: Whole<65_536, 67_108_864> = Whole(wire::BODY_BYTES_MAX as u64);
    /// Bytes of a batch.
    batch_bytes: Whole<65_536, 67_108_864> = Whole(wire::BATCH_BYTES_MAX as u64);
    /// How long an access token lives.
    access_token_s: Whole<1, 600> = Whole(600);
    /// Requests a second that a session may go on making; 0: any number.
    requests_per_s: Whole<0, 1_000_000> = Whole(2000);
    /// Requests that a session may make at once.
    requests_burst: Whole<1, 1_000_000> = Whole(20_000);
    /// Event streams that a session may have open at once, at one node.
    event_streams: Whole<1, 1_000_000> = Whole(1024);
    /// Sign-ins and refreshes a second from one address; 0: any number.
    sign_ins_per_s: Whole<0, 1_000_000> = Whole(20);
    /// Sign-ins and refreshes from one address at once.
    sign_ins_burst: Whole<1, 1_000_000> = Whole(500);
    /// How long somebody counts as present at a case.
    presence_s: Whole<1, 3600> = Whole(60);
    /// Days that receipts are kept in full.
    receipt_lifetime_days: Whole<1, 36_500> = Whole(180);
    /// Days that what is left of a receipt, and what says that something is gone, are kept; at least those above.
    tombstone_lifetime_days: Whole<1, 36_500> = Whole(730);
    /// Days that a notification is kept after it was read.
    notification_lifetime_days: Whole<1, 36_500> = Whole(180);
    /// The mail server that mail is handed to; empty: none is sent.
    smtp_url: OptionalText = OptionalText(None);
    /// Whom mail comes from.
    smtp_from: OptionalText = OptionalText(None);
    /// The password of the user in `smtp_url`.
    smtp_password: Hidden = Hidden(None);
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}: {cause}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        cause: std::io::Error,
    },
    /// The file says something that is no setting; the words name the line.
    #[error("{path}: {cause}")]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, and in which line.
        cause: String,
    },
    /// A variable of the environment does not fit.
    #[error("{variable} {cause}")]
    Variable {
        /// Its name.
        variable: String,
        /// What is wrong.
        cause: String,
    },
}

impl Settings {
    /// What the file says.
    ///
    /// # Errors
    /// It cannot be read, is not TOML, or names what is not a setting.
    pub fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text =
            std::fs::read_to_string(path).map_err(|cause| ConfigError::Unreadable { path: path.to_owned(), cause })?;
        let said = toml::from_str(&text);
        said.map_err(|error| ConfigError::File {
            path: path.to_owned(),
            cause: error.to_string().trim_end().to_owned(),
        })
    }
}

impl Config {
    /// Decides every setting from the command line, the environment of this process, and `file`.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn decide(command_line: Settings, file: Option<&Path>) -> Result<Self, ConfigError> {
        let environment = Settings::from_environment(|name| std::env::var(name).ok())?;
        let file = file.map(Settings::from_file).transpose()?.unwrap_or_default();
        Ok(command_line.or(environment).or(file).into())
    }

    /// How long access tokens live.
    pub fn access_token_lifetime(&self) -> Duration {
        self.access_token_s.seconds()
    }
}

impl Default for Config {
    fn default() -> Self {
        Settings::default().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Result<Settings, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Settings::from_file(file.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_nearer_wins() {
        let command_line = Settings { drain_s: Some(Whole(1)), ..Settings::default() };
        let environment = |name: &str| match name {
            "ONCEOVER_DRAIN_S" => Some("2".to_owned()),
            "ONCEOVER_IDLE_S" => Some("3".to_owned()),
            "ONCEOVER_LOG" => Some(String::new()),
            _ => None,
        };
        let environment = Settings::from_environment(environment).unwrap();
        let file = file("drain_s = 4\nidle_s = 5\nhead_s = 6\nlog = \"debug\"").unwrap();
        let config = Config::from(command_line.or(environment).or(file));
        assert_eq!((config.drain_s, config.idle_s, config.head_s), (Whole(1), Whole(3), Whole(6)));
        assert_eq!((config.log.0.as_str(), config.body_s), ("debug", Whole(30)));
    }

    #[test]
    fn what_is_no_setting_is_refused_with_its_line() {
        for (text, line, words) in [
            ("drain_s = 4\n\nlissten = 1", "line 3", "unknown field `lissten`"),
            ("drain_s = 4\ndrain_s = 5", "line 2", "duplicate"),
            ("drain_s = 0", "line 1", "must be 1 to 600"),
            ("# x\ndrain_s = \"4\"", "line 2", "must be a whole number"),
            ("log_format = \"xml\"", "line 1", "must be human or json"),
            ("trusted_proxies = [\"10.0.0.0/8\", \"10.0.0.300\"]", "line 1", "is not a network"),
            ("listen = \"nonsense\"", "line 1", "ADDRESS:PORT"),
            ("[limits]\nhead_s = 1", "line 1", "limits"),
            ("drain_s 4", "line 1", ""),
        ] {
            let error = file(text).unwrap_err();
            assert!(error.contains(line) && error.contains(words), "{text}: {error}");
        }
        assert!(Settings::from_file(Path::new("no/such/file.toml")).unwrap_err().to_string().contains("no/such"));
    }

    #[test]
    fn a_variable_that_does_not_fit_is_named() {
        for (variable, text) in [
            ("ONCEOVER_CONNECTIONS", "many"),
            ("ONCEOVER_CONNECTIONS", "0"),
            ("ONCEOVER_LISTEN", "nonsense"),
            ("ONCEOVER_METRICS_LISTEN", "nonsense"),
            ("ONCEOVER_TRUSTED_PROXIES", "10.0.0.0/8, x"),
            ("ONCEOVER_PROXY_HEADER", "via"),
        ] {
            let lookup = |name: &str| (name == variable).then(|| text.to_owned());
            let error = Settings::from_environment(lookup).unwrap_err().to_string();
            assert!(error.starts_with(variable), "{error}");
        }
    }

    /// The example that administrators start from names every setting, with its default where it has one.
    #[test]
    fn the_example_shows_every_setting_and_its_default() {
        let example = include_str!("../../../docs/onceover-server.toml");
        let is_setting = |line: &&str| line.split_once(" = ").is_some_and(|(name, _)| Settings::NAMES.contains(&name));
        let lines: Vec<&str> = example.lines().filter_map(|line| line.strip_prefix("# ")).filter(is_setting).collect();
        let names: Vec<&str> = lines.iter().filter_map(|line| Some(line.split_once(" = ")?.0)).collect();
        assert_eq!(names, Settings::NAMES);
        let uncommented = file(&lines.join("\n")).unwrap();
        let config = Config { log: Text("warn".to_owned()), ..Config::default() };
        assert_eq!(Config::from(uncommented), config);
        assert_eq!(file(example).unwrap(), Settings::default(), "as it stands it sets nothing");
    }
}
