//! The one table of commands. The dispatcher, the check that each function is what its row says, and the TypeScript
//! bindings are all made from it.

use client::http::ServerProbe;
use engine::view::{
    AskAnswer, CaseDetail, CasePage, Discarded, Member, OutboxDetail, OutboxPage, Saved, SessionView, SyncStatus,
    Versions, ViewCounts,
};
use tauri::ipc::Invoke;
use tauri::{State, WebviewWindow};

use super::args::{
    CaseAssignArgs, CaseCreateArgs, CaseDetailArgs, CaseEditArgs, CasePageArgs, CaseTransitionArgs, CommandArgs,
    NoteAddArgs, OpenCaseWindowArgs, OutboxResolveArgs, ProbeServerArgs, SetPausedArgs, SetWindowTitleArgs, SignInArgs,
    SignOutArgs, SinceArgs, TagArgs, ViewCountsArgs,
};
use super::error::Reply;
use super::window_kind::WindowKind;
use crate::commands;
use crate::wiring::Desk;

/// A row, for the bindings.
#[cfg(test)]
pub(crate) struct Row {
    /// As it is called.
    pub name: &'static str,
    /// Its argument object's type, if it takes one.
    pub args: Option<Type>,
    /// What it answers.
    pub result: Type,
}

/// A type in TypeScript.
#[cfg(test)]
pub(crate) struct Type {
    /// How it is written where it is used.
    pub name: fn(&ts_rs::Config) -> String,
    /// Declares it and what it is made of.
    pub declare: fn(&mut super::bindings::Declarations),
}

#[cfg(test)]
fn of<T: ts_rs::TS + 'static>() -> Type {
    Type { name: T::name, declare: super::bindings::Declarations::add::<T> }
}

/// What most commands take first; one that takes it for any lifetime takes it for this one.
type OnDesk = State<'static, Desk>;

/// Compiles only if `_command` takes and answers what its row says.
fn fits<First, Args, Answer, F>(_command: impl Fn(First, Args) -> F)
where
    F: Future<Output = Reply<Answer>>,
{
}

/// The same for a command without arguments.
fn fits_alone<First, Answer, F>(_command: impl Fn(First) -> F)
where
    F: Future<Output = Reply<Answer>>,
{
}

macro_rules! fits {
    ($first:ty, $command:path, , $result:ty) => {
        fits_alone::<$first, $result, _>($command)
    };
    ($first:ty, $command:path, $args:ty, $result:ty) => {
        fits::<$first, $args, $result, _>($command)
    };
}

macro_rules! table {
    ($($noun:ident of $first:ty { $($name:ident($($args:ty)?) -> $result:ty;)* })*) => {
        /// Runs the command an invocation names; false if there is none of that name.
        pub(crate) fn dispatch() -> impl Fn(Invoke) -> bool {
            let _ = check;
            tauri::generate_handler![$($(commands::$noun::$name),*),*]
        }

        fn check() {
            $($(fits!($first, commands::$noun::$name, $($args)?, $result);)*)*
        }

        /// The rows, in this order.
        #[cfg(test)]
        pub(crate) fn rows() -> Vec<Row> {
            vec![$($(Row {
                name: stringify!($name),
                args: None::<Type>$(.or(Some(of::<$args>())))?,
                result: of::<$result>(),
            }),*),*]
        }
    };
}

table! {
    session of OnDesk {
        session_state() -> SessionView;
        probe_server(ProbeServerArgs) -> ServerProbe;
        sign_in(SignInArgs) -> SessionView;
        sign_out(SignOutArgs) -> SessionView;
        acknowledge_damage() -> ();
    }
    sync of OnDesk {
        sync_status(SinceArgs) -> SyncStatus;
        versions() -> Versions;
        sync_now() -> ();
        set_paused(SetPausedArgs) -> ();
    }
    case of OnDesk {
        case_page(CasePageArgs) -> CasePage;
        case_detail(CaseDetailArgs) -> Option<CaseDetail>;
        view_counts(ViewCountsArgs) -> ViewCounts;
        members() -> Vec<Member>;
        case_create(CaseCreateArgs) -> Saved;
        case_edit(CaseEditArgs) -> Saved;
        case_transition(CaseTransitionArgs) -> Saved;
        case_assign(CaseAssignArgs) -> Saved;
        note_add(NoteAddArgs) -> Saved;
        tag_add(TagArgs) -> Saved;
        tag_remove(TagArgs) -> Saved;
    }
    outbox of OnDesk {
        outbox_page(SinceArgs) -> OutboxPage;
        outbox_detail(CommandArgs) -> Option<OutboxDetail>;
        outbox_retry(CommandArgs) -> ();
        outbox_retry_all() -> ();
        outbox_confirm(CommandArgs) -> ();
        outbox_ask(CommandArgs) -> AskAnswer;
        outbox_seal(CommandArgs) -> AskAnswer;
        outbox_discard(CommandArgs) -> Discarded;
        outbox_resolve(OutboxResolveArgs) -> Option<Saved>;
    }
    window of WebviewWindow {
        open_case_window(OpenCaseWindowArgs) -> ();
        open_sync_centre() -> ();
        open_conflict_window(CommandArgs) -> ();
        window_kind() -> WindowKind;
        set_window_title(SetWindowTitleArgs) -> ();
    }
}
