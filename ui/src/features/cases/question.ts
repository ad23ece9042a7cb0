// What the list is asked: a view, words, filters and an order, as one query.
import type { AssigneeFilter, CaseQuery, CaseRow, CaseSort, Priority, Status } from '../../ipc/bindings';
import { dueDay, dueInFull, localDate, type Moment } from '../../shared/time';
import { caseLabel, PRIORITY_WORDS, STATUS_WORDS } from '../../shared/words/case';
import { MARK_WORDS } from '../../shared/words/mark';
import { slugWords } from '../../shared/words/phrases';

export type View = 'mine' | 'unassigned' | 'due_soon' | 'all';

export const VIEWS: readonly {
  view: View;
  title: string;
  key: string;
  icon: 'person' | 'inbox' | 'calendar' | 'list';
}[] = [
  { view: 'mine', title: 'My cases', key: 'm', icon: 'person' },
  { view: 'unassigned', title: 'Unassigned', key: 'u', icon: 'inbox' },
  { view: 'due_soon', title: 'Due soon', key: 'd', icon: 'calendar' },
  { view: 'all', title: 'All cases', key: 'a', icon: 'list' },
];

export type Filters = {
  statuses: Status[];
  priorities: Priority[];
  kinds: string[];
  has_changes: boolean;
  needs_you: boolean;
};

export type Question = { view: View; text: string; filters: Filters; sort: CaseSort; descending: boolean };

export const NO_FILTERS: Filters = { statuses: [], priorities: [], kinds: [], has_changes: false, needs_you: false };

const NOT_CLOSED: Status[] = ['draft', 'open', 'under_review', 'pending_info', 'resolved', 'reopened'];
const SOON_DAYS = 7;

const ASSIGNEES: Record<View, AssigneeFilter> = {
  mine: { kind: 'me' },
  unassigned: { kind: 'nobody' },
  due_soon: { kind: 'me' },
  all: { kind: 'any' },
};

export function toQuery(question: Question, now: Moment): CaseQuery {
  const soon = question.view === 'due_soon';
  const chosen = question.filters.statuses;
  return {
    text: question.text.trim() || null,
    statuses: soon ? NOT_CLOSED.filter((status) => chosen.length === 0 || chosen.includes(status)) : [...chosen],
    kinds: [...question.filters.kinds],
    priorities: [...question.filters.priorities],
    assignee: ASSIGNEES[question.view],
    tag: null,
    due_by: soon ? localDate(daysLater(now, SOON_DAYS)) : null,
    has_changes: question.filters.has_changes,
    needs_you: question.filters.needs_you,
    sort: question.sort,
    descending: question.descending,
    today: localDate(now),
    offset: 0,
    limit: 0,
  };
}

function daysLater(now: Moment, days: number): Date {
  const date = new Date(now);
  date.setDate(date.getDate() + days);
  return date;
}

export type Chip = { name: string; value: string; without: Filters };

/** One chip for each filter that is on, with what remains when it is taken off. */
export function chips(filters: Filters): Chip[] {
  const found: Chip[] = [];
  if (filters.statuses.length > 0) {
    found.push({
      name: 'Status',
      value: filters.statuses.map((status) => STATUS_WORDS[status]).join(', '),
      without: { ...filters, statuses: [] },
    });
  }
  if (filters.priorities.length > 0) {
    found.push({
      name: 'Priority',
      value: filters.priorities.map((priority) => PRIORITY_WORDS[priority]).join(', '),
      without: { ...filters, priorities: [] },
    });
  }
  if (filters.kinds.length > 0) {
    found.push({ name: 'Kind', value: filters.kinds.map(slugWords).join(', '), without: { ...filters, kinds: [] } });
  }
  if (filters.has_changes) {
    found.push({ name: 'Your changes', value: 'not received', without: { ...filters, has_changes: false } });
  }
  if (filters.needs_you) found.push({ name: 'Changes', value: 'need you', without: { ...filters, needs_you: false } });
  return found;
}

export function toggled<T>(list: readonly T[], item: T): T[] {
  return list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
}

/** The order after a press on a column's head. */
export function sortedBy(question: Question, sort: CaseSort): Question {
  if (question.sort !== sort) return { ...question, sort, descending: false };
  return { ...question, descending: !question.descending };
}

/** A row as a screen reader names it. */
export function rowName(row: CaseRow, now: Moment): string {
  const parts = [caseLabel(row), row.title];
  if (row.address) parts.push(row.address);
  parts.push(STATUS_WORDS[row.status], PRIORITY_WORDS[row.priority].toLowerCase());
  if (row.due_on)
    parts.push(`due ${row.due === 'overdue' ? dueInFull(row.due_on, now).split(',')[0] : dueDay(row.due_on, now)}`);
  if (row.due === 'overdue') parts.push('overdue');
  if (row.mark) parts.push(`your change: ${MARK_WORDS[row.mark].toLowerCase()}`);
  return parts.join(', ');
}
