// What a case, its fields and their values are called.
import type { CaseField, Due, Outcome, Priority, Role, Severity, Status } from '../../ipc/bindings';
import { shortDate, type Moment } from '../time';
import { slugWords } from './phrases';

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

/** What a case is called: its id in the other system, else its number, else "New case". */
export function caseLabel(named: { external_id?: string | null; number?: string | null }): string {
  return named.external_id ?? named.number ?? 'New case';
}

export function statusWord(status: unknown): string {
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

export const EMPTY = {
  timeline: 'Nothing has happened on this case yet.',
  notes: 'No notes yet. Press N to write one.',
} as const;
