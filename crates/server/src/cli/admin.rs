//! `tenant` and `user`: they work beside a running server, which hears of it within a second.

use std::io::Read as _;

use clap::{Args, Subcommand, ValueEnum};
use domain::Role;

use crate::cli::database::Database;
use crate::cli::{Failure, say};
use crate::clock::Clock;
use crate::password;
use crate::storage::{NewUser, UserChange};

#[derive(Debug, Subcommand)]
pub(super) enum Tenant {
    /// Add an organization.
    Add {
        /// Its short name, which people type when they sign in.
        slug: String,
        /// Its full name.
        #[arg(long)]
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum User {
    /// Add a person.
    Add {
        #[command(flatten)]
        who: Who,
        /// The name others see.
        #[arg(long)]
        display_name: String,
        #[arg(long)]
        role: RoleName,
        #[command(flatten)]
        password: Password,
    },
    /// Give another role; sessions go on.
    SetRole {
        #[command(flatten)]
        who: Who,
        #[arg(long)]
        role: RoleName,
    },
    /// End all sessions.
    Revoke {
        #[command(flatten)]
        who: Who,
    },
    /// End all sessions and let nobody sign in.
    Disable {
        #[command(flatten)]
        who: Who,
    },
    /// Let the person sign in again.
    Enable {
        #[command(flatten)]
        who: Who,
    },
    /// Set another password and end all sessions.
    SetPassword {
        #[command(flatten)]
        who: Who,
        #[command(flatten)]
        password: Password,
    },
}

#[derive(Debug, Args)]
pub(super) struct Who {
    /// The organization's slug.
    #[arg(long)]
    tenant: String,
    #[arg(long)]
    username: String,
}

#[derive(Debug, Args)]
pub(super) struct Password {
    /// Read the password from stdin; there is no other way, so that it stays out of the process list.
    #[arg(long, required = true)]
    password_stdin: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum RoleName {
    Viewer,
    Officer,
    Supervisor,
    Admin,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Viewer => Self::Viewer,
            RoleName::Officer => Self::Officer,
            RoleName::Supervisor => Self::Supervisor,
            RoleName::Admin => Self::Admin,
        }
    }
}

impl Tenant {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        let Self::Add { slug, name } = self;
        let is_slug = (1..=60).contains(&slug.len())
            && slug
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_');
        if !is_slug {
            return Err(Failure::Data(format!("slug {slug:?} must be 1 to 60 of a-z, 0-9, - and _")));
        }
        let name = text("name", &name)?;
        let id = database.open().await?.add_tenant(&slug, name, Clock::system().now()).await?;
        say(&id.to_string())
    }
}

impl User {
    pub(super) async fn run(self, database: &Database) -> Result<(), Failure> {
        let now = Clock::system().now();
        let (who, change) = match self {
            Self::Add { who, display_name, role, password: _ } => {
                let user = NewUser {
                    username: text("username", &who.username)?.to_owned(),
                    display_name: text("display name", &display_name)?.to_owned(),
                    slug: who.tenant,
                    role: role.into(),
                    password_hash: read_password()?,
                    disabled: false,
                };
                let id = database.open().await?.add_user(user, now).await?;
                return say(&id.to_string());
            }
            Self::SetRole { who, role } => (who, UserChange::Role(role.into())),
            Self::Revoke { who } => (who, UserChange::Revoke),
            Self::Disable { who } => (who, UserChange::Disabled(true)),
            Self::Enable { who } => (who, UserChange::Disabled(false)),
            Self::SetPassword { who, password: _ } => (who, UserChange::Password(read_password()?)),
        };
        let db = database.open_existing().await?;
        Ok(db.change_user(&who.tenant, &who.username, change, now).await?)
    }
}

fn text<'a>(what: &str, value: &'a str) -> Result<&'a str, Failure> {
    if value.trim().is_empty() || value.contains(char::is_control) || value.chars().count() > 200 {
        return Err(Failure::Data(format!("the {what} must be 1 to 200 characters on one line")));
    }
    Ok(value)
}

/// The hash of the first line of stdin.
fn read_password() -> Result<String, Failure> {
    let mut input = String::new();
    std::io::stdin()
        .take(64 << 10)
        .read_to_string(&mut input)
        .map_err(|error| Failure::Data(format!("cannot read the password from stdin: {error}")))?;
    let password = input.lines().next().unwrap_or_default();
    if password.is_empty() {
        return Err(Failure::Data("the password on stdin is empty".to_owned()));
    }
    password::hash(password).map_err(|error| Failure::Data(format!("this password cannot be used: {error}")))
}
