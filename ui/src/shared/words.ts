// Every sentence people read about delivery and trouble (UI page, sections 4 and 5). One file, so that
// nothing is said in two ways. Templates take what is known and leave out what is not.
import type {
  CaseField,
  Counts,
  Due,
  Link,
  Mark,
  Operation,
  Outcome,
  Pending,
  Priority,
  Role,
  Severity,
  StateName,
  Status,
  SyncStatus,
} from '../ipc/bindings';
import { STATUS_ORDER } from './vocabulary';
import { clock, clockOrDay, countdown, secondsSince, shortDate, type Moment } from './time';

// ---- numbers and names -------------------------------------------------------------------------

/** 14,208 */
export function number(count: number): string {
  return count.toLocaleString('en-US');
}

/** "1 change", "7 changes". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`;
}

/** "Due", "Due and Description", "Title, Due and Description". */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** "Dana" of "Dana Ruiz". */
export function firstName(name: string): string {
  return name.split(' ')[0] ?? name;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export const STATUS_WORDS: Record<Status, string> = {
  draft: 'Draft',
  open: 'Open',
  under_review: 'Under review',
  pending_info: 'Pending info',
  resolved: 'Resolved',
  closed: 'Closed',
  reopened: 'Reopened',
  withdrawn: 'Withdrawn',
};

export const PRIORITY_WORDS: Record<Priority, string> = {
  low: 'Low',
  normal: 'Normal',
  high: 'High',
  urgent: 'Urgent',
};

export const DUE_WORDS: Record<Due, string> = {
  overdue: 'Overdue',
  today: 'Today',
  this_week: 'This week',
  later: 'Later',
  no_date: 'No date',
};

export const ROLE_WORDS: Record<Role, string> = {
  viewer: 'Viewer',
  officer: 'Officer',
  supervisor: 'Supervisor',
  admin: 'Administrator',
};

export const OUTCOME_WORDS: Record<Outcome, string> = {
  pass: 'Passed',
  pass_with_conditions: 'Passed with conditions',
  fail: 'Failed',
  no_access: 'No access',
};

export const SEVERITY_WORDS: Record<Severity, string> = {
  minor: 'Minor',
  major: 'Major',
  critical: 'Critical',
};

export const FIELD_WORDS: Record<CaseField | 'status' | 'assignee_id' | 'tags' | 'archived' | 'external_id', string> = {
  title: 'Title',
  kind: 'Kind',
  priority: 'Priority',
  description: 'Description',
  address: 'Address',
  district: 'District',
  latitude: 'Latitude',
  longitude: 'Longitude',
  due_on: 'Due',
  status: 'Status',
  assignee_id: 'Assignee',
  tags: 'Tags',
  archived: 'Archived',
  external_id: 'External id',
};

export function fieldWord(field: string): string {
  return FIELD_WORDS[field as keyof typeof FIELD_WORDS] ?? slugWords(field);
}

/** "code_enforcement" as "Code enforcement". */
export function slugWords(slug: string): string {
  return capital(slug.replaceAll('_', ' '));
}

export function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${Math.round(bytes / 1_000_000)} MB`;
}

/** What a case is called: its id in the other system, else its number, else "New case". */
export function caseLabel(named: { external_id?: string | null; number?: string | null }): string {
  return named.external_id ?? named.number ?? 'New case';
}

// ---- what a change is --------------------------------------------------------------------------

/** The noun for a change inside a sentence: "your note", "the edit above". */
export const OPERATION_NOUNS: Record<Operation, string> = {
  'case.create': 'new case',
  'case.edit': 'edit',
  'case.transition': 'status change',
  'case.assign': 'assignment',
  'case.archive': 'archiving',
  'case.restore': 'restoring',
  'tag.add': 'tag',
  'tag.remove': 'removed tag',
  'note.add': 'note',
  'note.redact': 'redaction',
  'task.add': 'task',
  'task.set_done': 'task update',
  'time.log': 'time entry',
  'inspection.record': 'inspection',
  'notice.issue': 'notice',
  'notification.read': 'read notification',
};

type PayloadParts = {
  changes?: Record<string, { from?: unknown; to?: unknown }>;
  to?: unknown;
  from?: unknown;
  tag?: string;
  text?: string;
  title?: string;
  reason?: string;
  done?: boolean;
  due_on?: string;
  minutes?: number;
  worked_on?: string;
  note?: string;
  kind?: string;
  outcome?: Outcome;
  inspected_on?: string;
  findings?: { text: string; severity: Severity }[];
  recipient?: string;
  body?: string;
};

export function payloadParts(payload: unknown): PayloadParts {
  return typeof payload === 'object' && payload !== null ? (payload as PayloadParts) : {};
}

function statusWord(status: unknown): string {
  return STATUS_WORDS[status as Status] ?? String(status);
}

export type NameOf = (actorId: string) => string;

/** A value of a field as a person reads it. */
export function valueWords(field: string, value: unknown, nameOf: NameOf, now: Moment): string {
  if (value === null || value === undefined || value === '') return field === 'assignee_id' ? 'Nobody' : 'nothing';
  if (field === 'status') return statusWord(value);
  if (field === 'priority') return PRIORITY_WORDS[value as Priority] ?? String(value);
  if (field === 'kind') return slugWords(String(value));
  if (field === 'assignee_id') return nameOf(String(value));
  if (field === 'due_on') return dueWords(String(value), now);
  return String(value);
}

function dueWords(date: string, now: Moment): string {
  const [year, month, day] = date.split('-').map(Number);
  if (!year || !month || !day) return date;
  return shortDate(new Date(year, month - 1, day, 12), now);
}

/** "1 h 30 min", "45 min". */
export function duration(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [hours > 0 ? `${hours} h` : '', rest > 0 || hours === 0 ? `${rest} min` : ''].filter(Boolean).join(' ');
}

/** The title of a change's line: "Status from Open to Under review", "Tag “alley”", "Title, Due and Description". */
export function changeTitle(change: Pending, nameOf: NameOf, now: Moment): string {
  const parts = payloadParts(change.payload);
  switch (change.operation) {
    case 'case.create':
      return parts.title ? `New case “${parts.title}”` : 'New case';
    case 'case.transition':
      return change.from_status
        ? `Status from ${statusWord(change.from_status)} to ${statusWord(parts.to)}`
        : `Status to ${statusWord(parts.to)}`;
    case 'case.assign':
      return `Assignee to ${valueWords('assignee_id', parts.to, nameOf, now)}`;
    case 'tag.add':
      return `Tag “${parts.tag ?? ''}”`;
    case 'tag.remove':
      return `Tag “${parts.tag ?? ''}” removed`;
    case 'case.archive':
      return 'Case archived';
    case 'case.restore':
      return 'Case restored';
    case 'note.add':
      return 'Note';
    case 'note.redact':
      return 'Note redacted';
    case 'task.add':
      return `Task “${parts.title ?? ''}”`;
    case 'task.set_done':
      return parts.done ? 'Task done' : 'Task open again';
    case 'time.log':
      return `Time ${duration(parts.minutes ?? 0)}`;
    case 'inspection.record':
      return parts.outcome ? `Inspection: ${OUTCOME_WORDS[parts.outcome]}` : 'Inspection';
    case 'notice.issue':
      return parts.recipient ? `Notice to ${parts.recipient}` : 'Notice';
    case 'notification.read':
      return 'Notification read';
    case 'case.edit':
      return editTitle(parts.changes ?? {}, nameOf, now);
  }
}

const LONG_FIELDS = ['title', 'description', 'address'];

function editTitle(changes: NonNullable<PayloadParts['changes']>, nameOf: NameOf, now: Moment): string {
  const fields = Object.keys(changes);
  const [only] = fields;
  if (fields.length === 1 && only && !LONG_FIELDS.includes(only)) {
    const change = changes[only];
    const say = (value: unknown) => valueWords(only, value, nameOf, now);
    return `${fieldWord(only)} from ${say(change?.from)} to ${say(change?.to)}`;
  }
  return fields.length === 0 ? 'Edit' : listed(fields.map(fieldWord));
}

/** The text a person would copy out of a change that cannot be sent. */
export function changeText(change: Pending, nameOf: NameOf, now: Moment): string {
  const parts = payloadParts(change.payload);
  if (parts.text) return parts.text;
  const own = ownText(change.operation, payloadParts(change.payload));
  if (own) return own;
  if (parts.changes) {
    const say = (field: string, value: unknown) => `${fieldWord(field)}: ${valueWords(field, value, nameOf, now)}`;
    return Object.entries(parts.changes)
      .map(([field, to]) => say(field, to.to))
      .join('\n');
  }
  return changeTitle(change, nameOf, now);
}

/** The text that a change carries besides what its title says; null if there is none. */
export function ownText(operation: Operation, parts: PayloadParts): string | null {
  switch (operation) {
    case 'case.archive':
    case 'case.restore':
    case 'note.redact':
      return parts.reason ?? null;
    case 'time.log':
      return parts.note ?? null;
    case 'inspection.record':
      return parts.findings?.map(({ severity, text }) => `${SEVERITY_WORDS[severity]}: ${text}`).join('\n') || null;
    case 'notice.issue':
      return parts.body ?? null;
    default:
      return null;
  }
}

// ---- marks -------------------------------------------------------------------------------------

export const MARK_WORDS: Record<Mark, string> = {
  received: 'Received',
  received_saving_here: 'Received, saving here',
  saved_here: 'Saved here',
  waiting: 'Waiting',
  sending: 'Sending',
  will_retry: 'Will retry',
  in_doubt: 'In doubt',
  not_allowed: 'Not allowed',
  no_longer_yours: 'No longer yours',
  confirm_to_send: 'Confirm to send',
  missing_again: 'Missing again',
  stopped: 'Stopped',
  content_lost: 'Content lost',
  stopped_for_good: 'Stopped for good',
  refused: 'Refused',
  conflict: 'Conflict',
};

/** The word for at most 92 px: it may be shorter. */
export function shortMarkWord(mark: Mark, nextAt: Moment | null, now: Moment): string {
  if (mark === 'will_retry' && nextAt !== null) return `Retry ${countdown(nextAt, now)}`;
  if (mark === 'no_longer_yours') return 'Not yours';
  if (mark === 'received_saving_here') return 'Received';
  if (mark === 'stopped_for_good') return 'Stopped';
  if (mark === 'confirm_to_send') return 'Confirm';
  return MARK_WORDS[mark];
}

/** What the legend and the list's tooltip say of a mark when the change itself is not at hand. */
export const MARK_MEANINGS: Record<Mark, string> = {
  received: 'The server has it, once. The mark goes after a moment.',
  received_saving_here: 'The server has it. This computer is still noting it down.',
  saved_here: 'Safe on this computer. Not sent yet.',
  waiting: 'Goes when the reason is gone: offline, sign-in, another change first.',
  sending: 'Sent just now. Waiting for the answer.',
  will_retry: 'Nothing was changed on the server. Tried again by itself at the time shown.',
  in_doubt: 'Sent, no answer. The server may or may not have it. It keeps its number, so it counts once.',
  not_allowed: 'Your role does not allow it. Kept; sent if you get that right.',
  no_longer_yours: 'You may not change this case now. Kept; sent if access comes back.',
  confirm_to_send: 'Written a day ago, or before you signed in again. Confirm that it should still be sent.',
  missing_again: 'Received once, but the server was put back to an earlier time and no longer has it.',
  stopped: 'Failed the same way again and again. Nothing was changed.',
  content_lost: 'The text of this change could not be read back. It is not sent.',
  stopped_for_good: 'The server will never apply this. Nothing was changed.',
  refused: 'The server said no, and why. Nothing was changed.',
  conflict: 'Someone changed the same field first. Both are kept. You choose.',
};

// ---- sentences ---------------------------------------------------------------------------------

/** What is known around a change; whatever is absent is left out of the sentence. */
export type Around = {
  now: Moment;
  /** How people are called. */
  nameOf?: NameOf;
  /** Who archived the case, and when. */
  archivedBy?: string | null;
  archivedAt?: Moment | null;
  /** Why access was lost, as a sentence. */
  hiddenBecause?: string | null;
  /** The server's limit for a change. */
  limitBytes?: number | null;
  /** How many other changes go first. */
  before?: number;
  /** Whether the change waited for is written above (older first) or below. */
  place?: 'above' | 'below';
  /** The title of what replaced this change. */
  replacedBy?: string | null;
};

const NEEDS_DECISION: readonly Mark[] = [
  'conflict',
  'refused',
  'not_allowed',
  'no_longer_yours',
  'confirm_to_send',
  'missing_again',
  'stopped',
  'content_lost',
  'stopped_for_good',
];

const DECISION_NOUNS: Partial<Record<Mark, string>> = { conflict: 'the conflict', refused: 'the refused change' };

/** The sentence beside the mark: what happened, what is safe, what comes next. */
export function sentence(change: Pending, around: Around): string {
  if (change.resolution) return `${clockOrDay(change.resolution.at_ms, around.now)}, with what was shown then.`;
  const noun = OPERATION_NOUNS[change.operation];
  const reason = change.reason;
  const place = around.place ?? 'above';
  switch (reason.kind) {
    case 'next':
      return `Saved on this computer at ${clockOrDay(change.created_at, around.now)}. Sent next.`;
    case 'offline':
      return 'Saved on this computer. Sent when the connection is back.';
    case 'sign_in':
      return 'Sign in to send this. It is kept meanwhile.';
    case 'paused':
      return 'Sending is paused by you.';
    case 'after':
      if (reason.mark === 'in_doubt')
        return `Waits until the ${OPERATION_NOUNS[reason.operation]} ${place} is no longer in doubt.`;
      if (NEEDS_DECISION.includes(reason.mark)) {
        return `Waits for your decision on ${DECISION_NOUNS[reason.mark] ?? `the ${OPERATION_NOUNS[reason.operation]}`} ${place}.`;
      }
      return `Goes after the ${OPERATION_NOUNS[reason.operation]} ${place}, so that the order is kept.`;
    case 'dependency':
      return 'Goes after the change it builds on, so that the order is kept.';
    case 'awaiting_answer':
      return `Sent ${counted(secondsSince(reason.sent_at, around.now), 'second')} ago. Waiting for the answer.`;
    case 'connection_failed':
      return `The connection failed before anything was sent. ${tried(change)}`;
    case 'slow_down':
      return `The server asked to slow down and changed nothing. ${tried(change)}`;
    case 'server_busy':
      return `The server was busy and changed nothing. ${tried(change)}`;
    case 'not_our_server':
      return 'A page that is not the Onceover server answered. No change counts as received.';
    case 'confirmation':
      return `${writtenWhen(change, around.now)} Confirm that this ${noun} should still be sent.`;
    case 'quarantined':
      return `Failed the same way ${counted(change.attempt, 'time')}: ${codeWords(reason.code)}. Nothing was changed. Other changes go on.`;
    case 'role':
      return `${roleNeeded(change)} needs a supervisor. It is kept, and sent if you get that right.`;
    case 'hidden':
      return `${around.hiddenBecause ?? 'This case is no longer shown to you.'} Your ${noun} is kept, and sent if you get access again.`;
    case 'recovered':
      return change.state === 'unknown'
        ? 'Read back from the damaged store; the server may have it already. It is asked before this is sent again.'
        : 'Read back from the damaged store. It is not sent before you put it back.';
    case 'missing_again':
      return `Received at ${clockOrDay(reason.received_at, around.now)}, but the server was put back to an earlier time and no longer has it.`;
    case 'ask_first':
      return `Sent at ${sentAt(change, around.now)}, no answer came back. The server is asked before it is sent again.`;
    case 'resend':
      return `Sent at ${sentAt(change, around.now)}, no answer came back. It is sent again under the same number, so it counts once.`;
    case 'too_old':
      return 'The server no longer keeps answers this old. Look at the case and decide.';
    case 'conflict':
      return conflictSentence(reason.fields.length, change, around);
    case 'rule':
      return `${ruleSentence(reason.reason, change)} Nothing was changed.`;
    case 'archived':
      return `The case was archived${around.archivedAt ? ` on ${shortDate(around.archivedAt, around.now)}` : ''}${around.archivedBy ? ` by ${around.archivedBy}` : ''}. Nothing was changed.`;
    case 'too_large': {
      const size = megabytes(JSON.stringify(change.payload ?? null).length);
      return `Too large for the server (${size}${around.limitBytes ? `, limit ${megabytes(around.limitBytes)}` : ''}). Nothing was changed.`;
    }
    case 'not_understood':
      return 'The server does not understand this version of the change. Nothing was changed.';
    case 'number_reused':
      return 'This number was used for something else. Nothing was changed.';
    case 'dependency_failed':
      return 'The change it builds on was refused. Nothing was changed.';
    case 'sealed':
      return 'The server will never apply this. Nothing was changed.';
    case 'content_lost':
      return 'The text of this change could not be read back. It is not sent.';
    case 'received':
      return change.mark === 'received_saving_here'
        ? 'The server has it. This computer is still noting it down.'
        : `Received at ${clockOrDay(change.updated_at, around.now)}, once.`;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Why a change is asked about again: it is old, or of a session that ended. */
function writtenWhen(change: Pending, now: Moment): string {
  const isOld = new Date(now).getTime() - new Date(change.created_at).getTime() > DAY_MS;
  return isOld ? 'Written more than 24 hours ago.' : 'Written before you signed in again.';
}

function tried(change: Pending): string {
  return `Tried ${counted(change.attempt, 'time')}.`;
}

function sentAt(change: Pending, now: Moment): string {
  return clockOrDay(change.sent_at ?? change.updated_at, now);
}

function conflictSentence(fields: number, change: Pending, around: Around): string {
  const who = (change.their_actor && around.nameOf?.(change.their_actor)) || 'Someone';
  const what = fields === 0 ? 'the case' : fields === 1 ? 'the same field' : `the same ${fields} fields`;
  const when = change.their_at ? ` at ${clockOrDay(change.their_at, around.now)},` : '';
  return `${who} changed ${what}${when} before yours arrived. Nothing was overwritten.`;
}

function roleNeeded(change: Pending): string {
  const to = payloadParts(change.payload).to;
  if (change.operation === 'case.transition' && to === 'closed') return 'Closing a case';
  if (change.operation === 'case.transition' && to === 'reopened') return 'Reopening a case';
  if (change.operation === 'case.archive') return 'Archiving a case';
  if (change.operation === 'case.restore') return 'Restoring a case';
  if (change.operation === 'note.redact') return 'Redacting a note';
  if (change.operation === 'notice.issue') return 'Issuing a notice';
  return `This ${OPERATION_NOUNS[change.operation]}`;
}

function ruleSentence(rule: string, change: Pending): string {
  switch (rule) {
    case 'illegal-transition': {
      const to = payloadParts(change.payload).to as Status;
      const from = change.from_status;
      if (!from) return `The case cannot go to ${statusWord(to)} from where it is now.`;
      const back = STATUS_ORDER.indexOf(to) < STATUS_ORDER.indexOf(from) ? 'go back' : 'go';
      const article = /^[aeiou]/i.test(statusWord(from)) ? 'An' : 'A';
      return `${article} ${statusWord(from).toLowerCase()} case cannot ${back} to ${statusWord(to)}.`;
    }
    case 'already-exists':
      return 'The server has something else under this id already.';
    case 'external-id-taken':
      return 'Another case has this external id already.';
    case 'not-archived':
      return 'The case is not archived.';
    case 'unknown-assignee':
      return 'The new assignee is nobody of this organization.';
    default:
      return `The server’s rules do not allow it (${rule}).`;
  }
}

const CODE_WORDS: Record<string, string> = {
  unreachable: 'the server could not be reached',
  clock: 'the certificate is not valid by this computer’s clock',
  timeout: 'no answer in time',
  cut: 'the connection broke off',
  'not-tls': 'the server does not speak https there',
  'not-our-answer': 'the answer was not about this change',
  'fence-mismatch': 'the server was put back to an earlier time',
  internal: 'the server had an error of its own',
};

export function codeWords(code: string): string {
  return CODE_WORDS[code] ?? code;
}

/** What comes next and when, as the sync centre's third column says it. */
export function next(change: Pending, around: Around): string {
  if (change.resolution) return '';
  const planned = change.next_attempt_at;
  switch (change.reason.kind) {
    case 'next':
      return 'Next';
    case 'offline':
      return 'When online';
    case 'sign_in':
      return 'After sign-in';
    case 'after':
      if (change.reason.mark === 'in_doubt' || NEEDS_DECISION.includes(change.reason.mark)) return '';
      return `After ${number(around.before ?? 1)} other${(around.before ?? 1) === 1 ? '' : 's'}`;
    case 'dependency':
      return `After ${number(around.before ?? 1)} other${(around.before ?? 1) === 1 ? '' : 's'}`;
    case 'connection_failed':
    case 'slow_down':
    case 'server_busy':
    case 'not_our_server':
      return planned ? `Next try in ${countdown(planned, around.now)}` : '';
    case 'ask_first':
      return planned ? `Next check ${clockOrDay(planned, around.now)}` : '';
    case 'resend':
      return planned ? `Next try ${clockOrDay(planned, around.now)}` : '';
    case 'role':
    case 'hidden':
      return `Checked ${clockOrDay(change.updated_at, around.now)}`;
    case 'confirmation':
    case 'quarantined':
    case 'recovered':
    case 'missing_again':
    case 'too_old':
    case 'content_lost':
      return 'You';
    case 'conflict':
    case 'rule':
    case 'archived':
    case 'too_large':
    case 'not_understood':
    case 'number_reused':
    case 'dependency_failed':
      return `Since ${clockOrDay(change.updated_at, around.now)}`;
    case 'paused':
    case 'awaiting_answer':
    case 'sealed':
    case 'received':
      return '';
  }
}

/** The mark's word for a change that was decided. */
export function resolutionWord(change: Pending, replacedBy?: string | null): string {
  if (change.resolution?.kind === 'discarded') return 'Discarded by you';
  return `Replaced by ${replacedBy ?? 'your decision'}`;
}

export type Action =
  | 'try_now'
  | 'sign_in'
  | 'show_it'
  | 'resume'
  | 'put_back'
  | 'send_again'
  | 'leave_out'
  | 'confirm'
  | 'copy_text'
  | 'discard'
  | 'ask'
  | 'details'
  | 'open_case'
  | 'resolve'
  | 'edit_again';

export const ACTION_WORDS: Record<Action, string> = {
  try_now: 'Try now',
  sign_in: 'Sign in',
  show_it: 'Show it',
  resume: 'Resume',
  put_back: 'Put back',
  send_again: 'Send again',
  leave_out: 'Leave out…',
  confirm: 'Confirm and send',
  copy_text: 'Copy text',
  discard: 'Discard…',
  ask: 'Ask the server',
  details: 'Details',
  open_case: 'Open case',
  resolve: 'Resolve…',
  edit_again: 'Edit and send as new',
};

/** What a person can do about a change, in the order of the buttons. */
export function actions(change: Pending): Action[] {
  if (change.resolution) return ['details'];
  switch (change.reason.kind) {
    case 'next':
    case 'awaiting_answer':
      return [];
    case 'offline':
    case 'connection_failed':
    case 'slow_down':
    case 'server_busy':
    case 'not_our_server':
      return ['try_now'];
    case 'sign_in':
      return ['sign_in'];
    case 'paused':
      return ['resume'];
    case 'after':
      return ['show_it'];
    case 'dependency':
      return [];
    case 'confirmation':
      return ['confirm', 'copy_text', 'discard'];
    case 'role':
    case 'hidden':
      return ['copy_text', 'discard'];
    case 'quarantined':
    case 'recovered':
      return ['put_back', 'copy_text', 'discard'];
    case 'missing_again':
      return ['send_again', 'leave_out'];
    case 'ask_first':
    case 'resend':
      return ['details', 'ask'];
    case 'too_old':
      return ['open_case', 'discard'];
    case 'conflict':
      return ['resolve'];
    case 'rule':
      // Of a case that was refused there is nothing on this computer to edit.
      return change.operation === 'case.create' ? ['copy_text', 'discard'] : ['edit_again', 'copy_text', 'discard'];
    case 'archived':
    case 'too_large':
    case 'not_understood':
    case 'number_reused':
    case 'dependency_failed':
    case 'sealed':
      return ['copy_text', 'discard'];
    case 'content_lost':
      return ['details', 'discard'];
    case 'received':
      return change.mark === 'received' ? ['open_case'] : [];
  }
}

// ---- the whole ---------------------------------------------------------------------------------

/** One sentence or two about everything not received. */
export function summary(counts: Counts, link: Link): string {
  return summaryLines(counts, link).join(' ');
}

/** The same, line by line. */
export function summaryLines(counts: Counts, link: Link): string[] {
  const { open, open_cases: cases, waiting, needs_attention: needs, in_doubt: doubt } = counts;
  if (open === 0) return ['Everything you did has been received.'];
  const toCases = `to ${counted(cases, 'case')}`;
  if (link === 'offline') {
    return [`You are offline. ${counted(open, 'change')} ${toCases} ${open === 1 ? 'is' : 'are'} saved here.`];
  }
  const needWords = needs === 1 ? 'needs' : 'need';
  if (waiting === 0) {
    const parts = [];
    if (needs > 0) parts.push(`${counted(needs, 'change')} ${needWords} you`);
    if (doubt > 0)
      parts.push(`${needs > 0 ? number(doubt) : counted(doubt, 'change')} ${doubt === 1 ? 'is' : 'are'} in doubt`);
    return [`${parts.join(', ')}.`];
  }
  const lines = [`${counted(waiting, 'change')} ${toCases} ${waiting === 1 ? 'is' : 'are'} waiting.`];
  const parts = [];
  if (needs > 0) parts.push(`${number(needs)} ${needWords} you`);
  if (doubt > 0) parts.push(`${number(doubt)} ${doubt === 1 ? 'is' : 'are'} in doubt`);
  if (parts.length > 0) lines.push(`${parts.join(', ')}.`);
  return lines;
}

/** "3 need you", "1 needs you". */
export function needsYou(count: number): string {
  return `${number(count)} ${count === 1 ? 'needs' : 'need'} you`;
}

export function lastContact(status: SyncStatus, now: Moment): string {
  if (status.link === 'offline') {
    return status.link_since ? `Offline since ${clockOrDay(status.link_since, now)}.` : 'Offline.';
  }
  if (status.link === 'not_our_server') return 'This network wants you to sign in first.';
  if (!status.last_answer_at) return 'No answer from the server yet.';
  const seconds = secondsSince(status.last_answer_at, now);
  if (seconds >= 120) return `Online. Last answer from the server at ${clockOrDay(status.last_answer_at, now)}.`;
  return `Online. Last answer from the server ${counted(seconds, 'second')} ago.`;
}

export const OFFLINE_TITLE = 'You are offline.';

export function offlineText(lastPullAt: Moment | null, now: Moment): string {
  const asOf = lastPullAt === null ? '' : ` Cases are as of ${clockOrDay(lastPullAt, now)}.`;
  return `Keep working: what you do is saved on this computer and sent when the connection is back.${asOf}`;
}

export const NEEDS_SERVER = 'Needs a connection. You are offline.';

export function savedAgain(savedAt: Moment, now: Moment): string {
  return `This was already saved at ${clockOrDay(savedAt, now)}. It was not saved twice.`;
}

export const DRAFT_KEPT = 'Draft kept on this computer';

export function notReceivedYet(count: number): string {
  return count === 0 ? '' : `${number(count)} of your changes not received yet`;
}

// ---- in doubt ----------------------------------------------------------------------------------

export const DOUBT_TITLE = 'Not known yet whether the server has this';

export function doubtText(resends: boolean): string {
  return resends
    ? 'It was sent once and no answer came back. It is sent again under the same number, so it takes effect once at most.'
    : 'It was sent once and no answer came back. The server is asked before it is sent again, and it keeps its number, so it takes effect once at most.';
}

export const ANSWER_MEANS = {
  has: 'The server has it: the mark goes away.',
  hasNot: 'The server does not have it: it is sent again under the same number.',
  refused: 'The server refused it: it comes back to you with the reason.',
} as const;

/** What is said after the server was asked. */
export function askAnswer(answer: string, nextAt: Moment | null, now: Moment): string {
  switch (answer) {
    case 'committed':
      return 'The server has it.';
    case 'failed':
      return 'The server refused it. It comes back to you with the reason.';
    case 'not_seen':
      return 'The server does not have it. Sending again.';
    case 'processing':
      return 'The server is still working on it.';
    case 'expired':
      return 'The server no longer keeps answers this old. Look at the case and decide.';
    default:
      return nextAt ? `No answer. Asked again at ${clockOrDay(nextAt, now)}.` : 'No answer.';
  }
}

export const SEAL_TITLE = 'Stop for good?';
export const SEAL_TEXT =
  'The server is told never to apply this. If it was applied already, you will see that instead. Needs a connection.';

/** One step of a change's history. */
export function historyStep(
  entry: { from: StateName | null; to: StateName; event: string; code: string | null; attempt: number },
  secondsBefore: number | null,
): string {
  const because = entry.code ? `: ${codeWords(entry.code)}` : '';
  switch (entry.event) {
    case 'discarded':
      return 'Discarded by you';
    case 'superseded':
      return 'Replaced by your decision';
    case 'rebased':
      return 'Built on your decision';
    case 'requeued':
      return 'Put back to be sent';
    case 'confirmed':
      return 'Confirmed by you';
    case 'not_seen':
      return 'Asked: the server does not have it';
    case 'still_unknown':
      return entry.code === 'processing'
        ? 'Asked: the server was still working on it'
        : `Asked${because || ': no answer'}`;
    case 'window_expired':
      return 'Asked: the server no longer keeps answers this old';
    case 'missing_again':
      return 'The server was put back to an earlier time and no longer has it';
    case 'projected':
      return 'Noted down on this computer';
    case 'claim_ended':
      if (entry.to === 'queued') return 'Not sent yet';
      break;
  }
  if (entry.from === null) return 'Saved on this computer';
  switch (entry.to) {
    case 'queued':
      return 'Waiting to be sent';
    case 'claimed':
      return 'Next to be sent';
    case 'sending':
      return entry.attempt > 1 ? 'Sent again under the same number' : 'Sent to the server';
    case 'retryable_failed':
      return `Not sent${because}`;
    case 'unknown':
      if (entry.from === 'unknown') return `Asked${because || ': no answer'}`;
      return secondsBefore === null ? 'No answer' : `No answer after ${counted(secondsBefore, 'second')}`;
    case 'conflict':
      return 'Someone had changed the same fields';
    case 'rejected':
      return `Refused${because}`;
    case 'acked':
      return 'Received, once';
  }
}

// ---- conflict ----------------------------------------------------------------------------------

export function conflictTitle(theirName: string | null): string {
  return `You and ${theirName ?? 'someone else'} changed the same fields`;
}

export function conflictText(theirName: string | null): string {
  return `Choose what each field should say. Your text and ${possessive(theirName)} both stay until you decide; nothing is sent before you press Save decision.`;
}

/** "Dana’s", or "theirs" where nobody is named. */
export function possessive(theirName: string | null): string {
  return theirName ? `${firstName(theirName)}’s` : 'theirs';
}

/** Of a change that sets no field but stands on the case as it was seen. */
export const WHOLE_CONFLICT = {
  title: (theirName: string | null, operation: Operation) =>
    `${theirName ?? 'Someone'} changed the case before your ${OPERATION_NOUNS[operation]} arrived`,
  text: 'Nothing was done yet. Look at what changed, then decide whether it is still meant.',
  unread: 'What changed has not been read from the server yet.',
  sendAgain: 'Send it anyway',
  leave: 'Do not send it',
} as const;

export function chooseFor(fields: readonly string[]): string {
  return fields.length === 0 ? '' : `Choose for ${listed(fields.map(fieldWord))}.`;
}

export function movedAgain(theirName: string | null, fields: readonly string[], at: Moment, now: Moment): string {
  const who = theirName ? firstName(theirName) : 'Someone';
  return `${who} changed ${listed(fields.map(fieldWord))} again at ${clockOrDay(at, now)}. Look once more.`;
}

export function keepVersion(theirName: string | null): string {
  return theirName ? `Keep ${firstName(theirName)}’s version` : 'Keep their version';
}

// ---- discard and sign-out ----------------------------------------------------------------------

export function discardTitle(operation: Operation, wasReceived = false): string {
  return `${wasReceived ? 'Leave out' : 'Discard'} this ${OPERATION_NOUNS[operation]}?`;
}

export function discardText(text: string, inDoubt: boolean, dependents: number, wasReceived = false): string {
  const parts = [`It is removed from this computer and never sent${wasReceived ? ' again' : ''}. ${text}`.trim()];
  if (inDoubt) parts.push('It may have reached the server already.');
  if (dependents > 0) {
    parts.push(
      `${counted(dependents, 'later change')} that ${dependents === 1 ? 'builds' : 'build'} on it ${dependents === 1 ? 'goes' : 'go'} too.`,
    );
  }
  return parts.join(' ');
}

export const SIGN_OUT = {
  title: (open: number) =>
    open === 1 ? '1 of your changes has not been received' : `${number(open)} of your changes have not been received`,
  question: (offline: boolean) => `${offline ? 'You are offline. ' : ''}What should happen to them when you sign out?`,
  keep: 'Keep for me',
  keepText:
    'They stay on this computer under your account and are sent after you sign in here again. Nobody else can see or send them.',
  discard: (open: number) => (open === 1 ? 'Discard it' : `Discard all ${number(open)}`),
  discardText: (open: number, doubt: number) =>
    [
      'They are removed from this computer and never sent.',
      doubt === 1 ? 'The one in doubt may have reached the server already.' : '',
      doubt > 1 ? `The ${number(doubt)} in doubt may have reached the server already.` : '',
      `You will be asked to type the number ${number(open)}.`,
    ]
      .filter(Boolean)
      .join(' '),
  sendFirst: 'Send first',
  sendFirstText: (waiting: number) => `Waits for ${number(waiting)} that can go now, then signs out.`,
  stay: 'Stay signed in',
  andKeep: 'Sign out and keep',
  andDiscard: 'Sign out and discard',
  andSend: 'Send, then sign out',
  typeNumber: (open: number) => `Type ${open} to discard`,
} as const;

// ---- trouble -----------------------------------------------------------------------------------

export type TroubleWords = { title: string; text: string };

export const TROUBLE = {
  storage: (code: 'storage-full' | 'storage-readonly', noun: string, open: number): TroubleWords => ({
    title: code === 'storage-full' ? 'Not saved: this disk is full' : 'Not saved: this folder cannot be written',
    text: `Your ${noun} is still in the form. Nothing on the case was changed. ${
      code === 'storage-full' ? 'Free about 50 MB, then save again.' : 'Make the folder writable, then save again.'
    } ${open === 0 ? '' : open === 1 ? 'The 1 change saved earlier is safe.' : `The ${number(open)} changes saved earlier are safe.`}`.trim(),
  }),
  storeNewer: (writtenBy: string, mine: string, open: number): TroubleWords => ({
    title: 'Saved by a newer version of Onceover',
    text: `Your store was last used by version ${writtenBy}; this is ${mine}. It is opened for reading only and nothing is sent. Your ${counted(open, 'unsent change')} ${open === 1 ? 'is' : 'are'} in it, unchanged.`,
  }),
  storeDamaged: (recovered: number, lost: number | null): TroubleWords => ({
    title: 'The local store is damaged',
    text:
      lost === null
        ? `What is left of it was moved aside, nothing was deleted. ${recovered === 0 ? 'No unsent change' : counted(recovered, 'unsent change')} could be read back; how many more were in it is not known. Nothing is sent before you look at it.`
        : `It was moved aside and copied, nothing was deleted. ${number(recovered)} of ${counted(recovered + lost, 'unsent change')} could be read back${
            lost === 0 ? '' : `; ${number(lost)} could not and ${lost === 1 ? 'is' : 'are'} listed`
          }. Nothing is sent before you look at it.`,
  }),
  epochChanged: (missing: number): TroubleWords => ({
    title: 'The server was put back to an earlier time',
    text:
      missing === 1
        ? '1 of your changes, already received once, is no longer there. It was not sent again. Decide about it.'
        : `${number(missing)} of your changes, already received once, are no longer there. They were not sent again. Decide for each one.`,
  }),
  keychainMissing: {
    title: 'No keychain on this computer',
    text: 'You stay signed in until Onceover is closed. After that you sign in again; changes not sent are kept meanwhile. No password or token is written to disk.',
  } satisfies TroubleWords,
  sessionRevoked: (open: number): TroubleWords => ({
    title: 'Your access was ended',
    text: `The server ended this account’s sessions. Nothing more is sent. ${counted(open, 'change')} ${open === 1 ? 'is' : 'are'} sealed here: you can still read and export them.`,
  }),
  notOurServer: {
    title: 'This network wants you to sign in first',
    text: 'A page that is not the Onceover server answered. No change counts as received. Open the network’s page in a browser, then try again.',
  } satisfies TroubleWords,
  signInNeeded: {
    title: 'Sign in to send your changes',
    text: 'The server wants a new sign-in. Your changes are kept meanwhile, and you can go on working.',
  } satisfies TroubleWords,
} as const;

/** What stands below the sign-in form. */
export function signInProblem(code: string, server: string): string {
  switch (code) {
    case 'invalid-credentials':
      return 'Organization, user name or password is not right.';
    case 'unreachable':
    case 'not-our-server':
      return `No Onceover server answers at ${server}.`;
    case 'tls':
      return 'The server’s certificate is not trusted.';
    case 'clock':
      return 'This computer’s clock is off; the certificate cannot be checked.';
    case 'throttled':
      return 'Too many tries. Wait a minute, then try again.';
    case 'storage-full':
      return 'This disk is full, so the session could not be saved. Free about 50 MB, then try again.';
    case 'storage-readonly':
      return 'The folder of this profile cannot be written. Nothing was changed.';
    case 'store-newer':
      return 'A newer version of Onceover was used for this account. Nothing was changed; sign in with that version.';
    default:
      return 'The sign-in did not work. Nothing was changed.';
  }
}

/** What a form says when its save failed for a reason that is not the disk. */
export function saveProblem(code: string, message: string, noun: string): string {
  switch (code) {
    case 'sign-in-needed':
      return `Not saved: sign in first. Your ${noun} is still in the form.`;
    case 'store-newer':
      return `Not saved: this store is open for reading only. Your ${noun} is still in the form.`;
    case 'store-damaged':
      return `Not saved: the local store is damaged. Your ${noun} is still in the form.`;
    case 'not-allowed':
      return `Not saved: your role does not allow it. Your ${noun} is still in the form.`;
    case 'not-found':
      return `Not saved: this case is no longer here. Your ${noun} is still in the form.`;
    case 'invalid':
      return `Not saved: ${message}. Your ${noun} is still in the form.`;
    default:
      return `Not saved. Your ${noun} is still in the form. Nothing on the case was changed.`;
  }
}

export const EMPTY = {
  timeline: 'Nothing has happened on this case yet.',
  notes: 'No notes yet. Press N to write one.',
} as const;

/** What the one live region says: joined, so that a burst is one sentence. */
export function announceReceived(count: number): string {
  return `${counted(count, 'change')} received`;
}

export function announceNeeds(count: number): string {
  return `${counted(count, 'change')} ${count === 1 ? 'needs' : 'need'} you`;
}

export { clock };
