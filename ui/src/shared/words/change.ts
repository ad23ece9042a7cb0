// What one change is: its noun, its title, the text it carries and how it was decided.
import type { Operation, Outcome, Pending, Severity } from '../../ipc/bindings';
import type { Moment } from '../time';
import { fieldWord, OUTCOME_WORDS, SEVERITY_WORDS, statusWord, valueWords, type NameOf } from './case';
import { duration, listed } from './phrases';

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

/** The mark's word for a change that was decided. */
export function resolutionWord(change: Pending, replacedBy?: string | null): string {
  if (change.resolution?.kind === 'discarded') return 'Discarded by you';
  return `Replaced by ${replacedBy ?? 'your decision'}`;
}
