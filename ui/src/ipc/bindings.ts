// Generated from the program's own types by `UPDATE_BINDINGS=1 cargo test -p onceover-desktop bindings`. Do not edit.
import { call } from './call';

export type AccountView = { server: string, tenant_id: TenantId, tenant_slug: string, tenant_name: string, actor_id: ActorId, username: string, display_name: string, role: Role, rights: Array<Operation> };

export type Activity = { id: CommandId, case_id: CaseId, operation: Operation, payload: unknown, from_status: Status | null, issued_at: Timestamp, revision: Revision, created_at: Timestamp, created_by: ActorId };

export type ActorId = string;

export type AskAnswer = "committed" | "failed" | "not_seen" | "processing" | "no_answer" | "expired";

export type AssigneeFilter = { "kind": "any" } | { "kind": "me" } | { "kind": "nobody" } | { "kind": "actor", "id": ActorId };

export type Case = { id: CaseId, number: string | null, title: string, kind: string, priority: Priority, status: Status, description: string | null, address: string | null, district: string | null, latitude: number | null, longitude: number | null, due_on: string | null, external_id: string | null, assignee_id: ActorId | null, tags: Array<string>, archived: boolean, revision: Revision, created_at: Timestamp, created_by: ActorId };

export type CaseAssignArgs = { intent_id: string, case_id: CaseId, from: ActorId | null, to: ActorId | null };

export type CaseCreateArgs = { intent_id: string, fields: { [key in CaseField]?: FieldValue }, status: Status | null };

export type CaseDetail = { case: Case, base: Case | null, pending_fields: Array<string>, notes: Array<NoteView>, tasks: Array<TaskView>, time_entries: Array<TimeEntryView>, inspections: Array<InspectionView>, notices: Array<NoticeView>, timeline: Array<Activity>, pending: Array<Pending>, next_statuses: Array<NextStatus>, version: number };

export type CaseDetailArgs = { id: CaseId };

export type CaseEditArgs = { intent_id: string, case_id: CaseId, changes: { [key in CaseField]?: Change } };

export type CaseField = "title" | "kind" | "priority" | "description" | "address" | "district" | "latitude" | "longitude" | "due_on";

export type CaseId = string;

export type CasePage = { rows: Array<CaseRow>, offset: number, total: number, groups: Array<DueGroup>, version: number };

export type CasePageArgs = { query: CaseQuery };

export type CaseQuery = { text: string | null, statuses: Array<Status>, kinds: Array<string>, priorities: Array<Priority>, assignee: AssigneeFilter, tag: string | null, due_by: string | null, has_changes: boolean, needs_you: boolean, sort: CaseSort, descending: boolean, today: string, offset: number, limit: number };

export type CaseRow = { id: CaseId, number: string | null, external_id: string | null, title: string, address: string | null, kind: string, status: Status, priority: Priority, due_on: string | null, due: Due, assignee_id: ActorId | null, assignee_name: string | null, pending_fields: Array<string>, mark: Mark | null, next_attempt_at: Timestamp | null, open_changes: number };

export type CaseSort = "due" | "title" | "number" | "status" | "priority" | "assignee";

export type CaseTransitionArgs = { intent_id: string, case_id: CaseId, to: Status, reason_code: string, comment: string | null };

export type Change = { from: FieldValue, to: FieldValue };

export type CommandArgs = { command_id: CommandId };

export type CommandId = string;

export type ConflictDecision = { "kind": "keep", side: Side } | { "kind": "fields", values: Record<string, string | number | null> };

export type ConflictView = { base: Record<string, unknown>, mine: Record<string, unknown>, theirs: Record<string, unknown>, fields: Array<FieldConflict>, base_revision: number | null, their_revision: number | null, base_at: Timestamp | null, their_actor: ActorId | null, their_at: Timestamp | null };

export type Counts = { by_state: { [key in StateName]?: number }, open: number, open_cases: number, waiting: number, in_doubt: number, needs_attention: number, received_today: number };

export type Discarded = { discarded: number };

export type Due = "overdue" | "today" | "this_week" | "later" | "no_date";

export type DueGroup = { due: Due, count: number };

export type EntityId = string;

export type ErrorCode = "invalid" | "storage-full" | "storage-readonly" | "store-newer" | "store-damaged" | "sign-in-needed" | "invalid-credentials" | "throttled" | "unreachable" | "not-our-server" | "tls" | "clock" | "not-found" | "not-allowed" | "count-mismatch" | "internal";

export type FieldConflict = { field: string, base: FieldValue, mine: FieldValue, theirs: FieldValue, moved: boolean };

export type FieldValue = null | string | number;

export type Finding = { code?: string | null, text: string, severity: Severity, corrective_action?: string | null };

export type FirstSync = { entities: number, head: number | null };

export type HistoryEntry = { at_ms: number, from: StateName | null, to: StateName, event: string, attempt: number, code: string | null };

export type Hold = "login" | "grant" | "confirmation" | "dependency" | "network" | "time" | "quarantined" | "person";

export type Inspection = { id: InspectionId, case_id: CaseId, kind: string, inspected_on: string, outcome: Outcome, findings: Array<Finding>, revision: Revision, created_at: Timestamp, created_by: ActorId };

export type InspectionId = string;

export type InspectionView = { inspection: Inspection, command_id: CommandId | null, mark: Mark | null };

export type LastError = { code: string, message: string, at_ms: number };

export type Link = "unknown" | "online" | "offline" | "not_our_server";

export type Mark = "received" | "received_saving_here" | "saved_here" | "waiting" | "sending" | "will_retry" | "in_doubt" | "not_allowed" | "no_longer_yours" | "confirm_to_send" | "missing_again" | "stopped" | "content_lost" | "stopped_for_good" | "refused" | "conflict";

export type Member = { id: ActorId, username: string, display_name: string, role: Role, disabled: boolean };

export type NextStatus = { to: Status, allowed: boolean };

export type Note = { id: NoteId, case_id: CaseId, text: string, redacted: boolean, redaction_reason: string | null, revision: Revision, created_at: Timestamp, created_by: ActorId };

export type NoteAddArgs = { intent_id: string, case_id: CaseId, text: string };

export type NoteId = string;

export type NoteView = { note: Note, command_id: CommandId | null, mark: Mark | null };

export type Notice = { id: NoticeId, case_id: CaseId, kind: string, recipient: string, body: string, revision: Revision, created_at: Timestamp, created_by: ActorId };

export type NoticeId = string;

export type NoticeView = { notice: Notice, command_id: CommandId | null, mark: Mark | null };

export type OpenCaseWindowArgs = { id: CaseId };

export type Operation = "case.create" | "case.edit" | "case.transition" | "case.assign" | "case.archive" | "case.restore" | "tag.add" | "tag.remove" | "note.add" | "note.redact" | "task.add" | "task.set_done" | "time.log" | "inspection.record" | "notice.issue" | "notification.read";

export type OutboxDetail = { payload: unknown, history: Array<HistoryEntry>, conflict: ConflictView | null, line: OutboxLine, command_id: CommandId, idempotency_key: string, operation: Operation, target: TargetView, state: StateName, hold: Hold | null, attempt: number, next_attempt_at_ms: number | null, last_error: LastError | null, created_at_ms: number, updated_at_ms: number, payload_hash: string, session_version: number, blocked_by: CommandId | null, resolution: ResolutionView | null };

export type OutboxGroup = "needs_you" | "in_doubt" | "waiting" | "received" | "discarded";

export type OutboxLine = { change: Pending, case_label: string | null, case_title: string, group: OutboxGroup };

export type OutboxPage = { lines: Array<OutboxLine>, version: number };

export type OutboxResolveArgs = { command_id: CommandId, decision: ConflictDecision };

export type Outcome = "pass" | "pass_with_conditions" | "fail" | "no_access";

export type Password = string;

export type Pending = { command_id: CommandId, case_id: CaseId, operation: Operation, payload: unknown, from_status: Status | null, state: StateName, mark: Mark, reason: Reason, attempt: number, next_attempt_at: Timestamp | null, sent_at: Timestamp | null, their_actor: ActorId | null, their_at: Timestamp | null, created_at: Timestamp, updated_at: Timestamp, resolution: ResolutionView | null };

export type Priority = "low" | "normal" | "high" | "urgent";

export type ProbeServerArgs = { server: string };

export type Reason = { "kind": "next" } | { "kind": "offline" } | { "kind": "sign_in" } | { "kind": "paused" } | { "kind": "after", command_id: CommandId, operation: Operation, mark: Mark } | { "kind": "dependency" } | { "kind": "awaiting_answer", sent_at: Timestamp } | { "kind": "connection_failed" } | { "kind": "slow_down" } | { "kind": "server_busy" } | { "kind": "not_our_server" } | { "kind": "confirmation" } | { "kind": "quarantined", code: string } | { "kind": "role" } | { "kind": "hidden" } | { "kind": "recovered" } | { "kind": "missing_again", received_at: Timestamp } | { "kind": "ask_first" } | { "kind": "resend" } | { "kind": "too_old" } | { "kind": "conflict", fields: Array<string> } | { "kind": "rule", reason: string } | { "kind": "archived" } | { "kind": "too_large" } | { "kind": "not_understood" } | { "kind": "number_reused" } | { "kind": "dependency_failed" } | { "kind": "sealed" } | { "kind": "content_lost" } | { "kind": "received" };

export type Remembered = { server: string, tenant: string, username: string };

export type ResolutionKind = "superseded" | "rebased" | "discarded";

export type ResolutionView = { kind: ResolutionKind, by: ActorId, at_ms: number };

export type Revision = number;

export type Role = "viewer" | "officer" | "supervisor" | "admin";

export type Saved = { case_id: CaseId, command_id: CommandId, operation: Operation, saved_at: Timestamp, already_saved: boolean };

export type Scope = "cases" | "outbox" | "session" | "link";

export type ServerProbe = { found: boolean, problem: string | null };

export type SessionPhase = "signed_out" | "signed_in" | "sign_in_needed" | "revoked";

export type SessionView = { phase: SessionPhase, account: AccountView | null, vault: VaultKind, remembered: Remembered | null, trouble: Array<Trouble> };

export type SetPausedArgs = { paused: boolean };

export type SetWindowTitleArgs = { title: string };

export type Severity = "minor" | "major" | "critical";

export type Side = "mine" | "theirs";

export type SignInArgs = { server: string, tenant: string, username: string, password: Password };

export type SignOutArgs = { choice: SignOutChoice };

export type SignOutChoice = { "kind": "keep" } | { "kind": "discard", confirmed_count: number };

export type Signal = { scope: Scope, version: number };

export type SinceArgs = { since: Timestamp };

export type StateName = "queued" | "claimed" | "sending" | "retryable_failed" | "unknown" | "conflict" | "rejected" | "acked";

export type Status = "draft" | "open" | "under_review" | "pending_info" | "resolved" | "closed" | "reopened" | "withdrawn";

export type SyncStatus = { link: Link, link_since: Timestamp | null, last_answer_at: Timestamp | null, last_pull_at: Timestamp | null, paused: boolean, counts: Counts, first_sync: FirstSync | null };

export type TagArgs = { intent_id: string, case_id: CaseId, tag: string };

export type TargetView = { type: string, id: EntityId };

export type Task = { id: TaskId, case_id: CaseId, title: string, due_on: string | null, done: boolean, revision: Revision, created_at: Timestamp, created_by: ActorId };

export type TaskId = string;

export type TaskView = { task: Task, command_id: CommandId | null, mark: Mark | null };

export type TenantId = string;

export type TimeEntry = { id: TimeEntryId, case_id: CaseId, minutes: number, worked_on: string, note: string | null, revision: Revision, created_at: Timestamp, created_by: ActorId };

export type TimeEntryId = string;

export type TimeEntryView = { entry: TimeEntry, command_id: CommandId | null, mark: Mark | null };

export type Timestamp = string;

export type Trouble = { "code": "store-newer", written_by: string, open: number } | { "code": "store-damaged", recovered: number, lost: number | null } | { "code": "epoch-changed", missing: number } | { "code": "keychain-missing" } | { "code": "session-revoked", open: number };

export type VaultKind = "keychain" | "file" | "memory";

export type Versions = { cases: number, outbox: number, session: number, link: number };

export type ViewCounts = { mine: number, unassigned: number, due_soon: number, all: number };

export type ViewCountsArgs = { today: string };

export type WindowKind = { "kind": "main" } | { "kind": "case", id: CaseId } | { "kind": "sync" } | { "kind": "conflict", command_id: CommandId };

export const commands = {
  sessionState: () => call<SessionView>('session_state'),
  probeServer: (args: ProbeServerArgs) => call<ServerProbe>('probe_server', { args }),
  signIn: (args: SignInArgs) => call<SessionView>('sign_in', { args }),
  signOut: (args: SignOutArgs) => call<SessionView>('sign_out', { args }),
  acknowledgeDamage: () => call<null>('acknowledge_damage'),
  syncStatus: (args: SinceArgs) => call<SyncStatus>('sync_status', { args }),
  versions: () => call<Versions>('versions'),
  syncNow: () => call<null>('sync_now'),
  setPaused: (args: SetPausedArgs) => call<null>('set_paused', { args }),
  casePage: (args: CasePageArgs) => call<CasePage>('case_page', { args }),
  caseDetail: (args: CaseDetailArgs) => call<CaseDetail | null>('case_detail', { args }),
  viewCounts: (args: ViewCountsArgs) => call<ViewCounts>('view_counts', { args }),
  members: () => call<Array<Member>>('members'),
  caseCreate: (args: CaseCreateArgs) => call<Saved>('case_create', { args }),
  caseEdit: (args: CaseEditArgs) => call<Saved>('case_edit', { args }),
  caseTransition: (args: CaseTransitionArgs) => call<Saved>('case_transition', { args }),
  caseAssign: (args: CaseAssignArgs) => call<Saved>('case_assign', { args }),
  noteAdd: (args: NoteAddArgs) => call<Saved>('note_add', { args }),
  tagAdd: (args: TagArgs) => call<Saved>('tag_add', { args }),
  tagRemove: (args: TagArgs) => call<Saved>('tag_remove', { args }),
  outboxPage: (args: SinceArgs) => call<OutboxPage>('outbox_page', { args }),
  outboxDetail: (args: CommandArgs) => call<OutboxDetail | null>('outbox_detail', { args }),
  outboxRetry: (args: CommandArgs) => call<null>('outbox_retry', { args }),
  outboxRetryAll: () => call<null>('outbox_retry_all'),
  outboxConfirm: (args: CommandArgs) => call<null>('outbox_confirm', { args }),
  outboxAsk: (args: CommandArgs) => call<AskAnswer>('outbox_ask', { args }),
  outboxSeal: (args: CommandArgs) => call<AskAnswer>('outbox_seal', { args }),
  outboxDiscard: (args: CommandArgs) => call<Discarded>('outbox_discard', { args }),
  outboxResolve: (args: OutboxResolveArgs) => call<Saved | null>('outbox_resolve', { args }),
  openCaseWindow: (args: OpenCaseWindowArgs) => call<null>('open_case_window', { args }),
  openSyncCentre: () => call<null>('open_sync_centre'),
  openConflictWindow: (args: CommandArgs) => call<null>('open_conflict_window', { args }),
  windowKind: () => call<WindowKind>('window_kind'),
  setWindowTitle: (args: SetWindowTitleArgs) => call<null>('set_window_title', { args }),
};
