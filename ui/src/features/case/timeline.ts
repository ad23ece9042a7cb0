// One timeline of what the server committed and what is still on its way: pending first, newest on top.
import type { Activity, CaseDetail, Operation, Pending } from '../../ipc/bindings';
import type { IconName } from '../../shared/icons';
import { fieldWord, OUTCOME_WORDS, STATUS_WORDS, valueWords, type NameOf } from '../../shared/words/case';
import { ownText, payloadParts } from '../../shared/words/change';
import { duration, listed, slugWords } from '../../shared/words/phrases';
import type { Moment } from '../../shared/time';

export type Entry = {
  id: string;
  /** When the actor did it. */
  at: string;
  /** When the server committed it, if that was more than a minute later. */
  receivedAt: string | null;
  actorId: string;
  operation: Operation;
  /** What was done, to follow the actor's name: "added a note". */
  said: string;
  /** Text that belongs to it: a note, a comment, a long value. */
  text: string | null;
  pending: Pending | null;
};

export const APART_MS = 60_000;

export const ENTRY_ICONS: Record<Operation, IconName> = {
  'case.create': 'folder',
  'case.edit': 'edit',
  'case.transition': 'swap',
  'case.assign': 'person',
  'tag.add': 'tag',
  'tag.remove': 'tag',
  'case.archive': 'inbox',
  'case.restore': 'folder',
  'note.add': 'note',
  'note.redact': 'lock',
  'task.add': 'list',
  'task.set_done': 'check',
  'time.log': 'clock',
  'inspection.record': 'search',
  'notice.issue': 'page',
  'notification.read': 'inbox',
};

/** The entries of a case, newest first. A change that both sides know is shown once, as received. */
export function entriesOf(detail: CaseDetail, me: string, nameOf: NameOf, now: Moment): Entry[] {
  const committed = new Set(detail.timeline.map((activity) => activity.id));
  const held = heldOf(detail);
  const say = (of: Activity | Pending) => saidOf(of, held, me, nameOf, now);
  const pending = detail.pending
    .filter((change) => !committed.has(change.command_id) && !change.resolution)
    .map((change): Entry => ({
      id: change.command_id,
      at: change.created_at,
      receivedAt: null,
      actorId: me,
      operation: change.operation,
      said: say(change),
      text: textOf(change.operation, change.payload, held),
      pending: change,
    }))
    .reverse();
  const received = detail.timeline.map((activity): Entry => ({
    id: activity.id,
    at: activity.issued_at,
    receivedAt: isApart(activity) ? activity.created_at : null,
    actorId: activity.created_by,
    operation: activity.operation,
    said: say(activity),
    text: textOf(activity.operation, activity.payload, held),
    pending: null,
  }));
  return [...pending, ...received];
}

function isApart(activity: Activity): boolean {
  return Math.abs(Date.parse(activity.created_at) - Date.parse(activity.issued_at)) > APART_MS;
}

const LONG = ['title', 'description', 'address'];

/** What belongs to the case, by id: the timeline names it, and its texts are kept there alone. */
type Held = {
  notes: ReadonlyMap<unknown, CaseDetail['notes'][number]['note']>;
  tasks: ReadonlyMap<unknown, string>;
  /** The texts of time entries, inspections and notices. */
  texts: ReadonlyMap<unknown, string | null>;
  recipients: ReadonlyMap<unknown, string>;
};

function heldOf(detail: CaseDetail): Held {
  const texts = [
    ...detail.time_entries.map(({ entry }) => [entry.id, ownText('time.log', payloadParts(entry))] as const),
    ...detail.inspections.map(({ inspection }) => {
      return [inspection.id, ownText('inspection.record', payloadParts(inspection))] as const;
    }),
    ...detail.notices.map(({ notice }) => [notice.id, ownText('notice.issue', payloadParts(notice))] as const),
  ];
  return {
    notes: new Map(detail.notes.map(({ note }) => [note.id, note])),
    tasks: new Map(detail.tasks.map(({ task }) => [task.id, task.title])),
    texts: new Map(texts),
    recipients: new Map(detail.notices.map(({ notice }) => [notice.id, notice.recipient])),
  };
}

function noteSaid(note: CaseDetail['notes'][number]['note'] | undefined): string {
  if (!note?.redacted) return 'added a note';
  return `added a note, redacted since${note.redaction_reason ? ` (${note.redaction_reason})` : ''}`;
}

type Named = ReturnType<typeof payloadParts> &
  Partial<Record<'note_id' | 'task_id' | 'entry_id' | 'inspection_id' | 'notice_id' | 'comment', string>>;

function saidOf(of: Activity | Pending, held: Held, me: string, nameOf: NameOf, now: Moment): string {
  const parts = payloadParts(of.payload) as Named;
  const from = of.from_status;
  switch (of.operation) {
    case 'case.create':
      return 'opened the case';
    case 'case.transition': {
      const to = STATUS_WORDS[parts.to as keyof typeof STATUS_WORDS] ?? String(parts.to);
      return from ? `moved the case from ${STATUS_WORDS[from]} to ${to}` : `moved the case to ${to}`;
    }
    case 'case.assign':
      if (!parts.to) return 'took the case from its assignee';
      return `assigned the case to ${parts.to === me ? 'you' : nameOf(String(parts.to))}`;
    case 'tag.add':
      return `added the tag “${parts.tag ?? ''}”`;
    case 'tag.remove':
      return `removed the tag “${parts.tag ?? ''}”`;
    case 'case.archive':
      return 'archived the case';
    case 'case.restore':
      return 'restored the case';
    case 'note.add':
      return noteSaid(held.notes.get(parts.note_id));
    case 'note.redact':
      return 'redacted a note';
    case 'task.add':
      return `added the task “${parts.title ?? ''}”`;
    case 'task.set_done': {
      const title = held.tasks.get(parts.task_id);
      const task = title === undefined ? 'a task' : `the task “${title}”`;
      return parts.done ? `finished ${task}` : `opened ${task} again`;
    }
    case 'time.log':
      return `logged ${duration(parts.minutes ?? 0)}${parts.worked_on ? ` for ${valueWords('due_on', parts.worked_on, nameOf, now)}` : ''}`;
    case 'inspection.record': {
      const outcome = parts.outcome ? `: ${OUTCOME_WORDS[parts.outcome].toLowerCase()}` : '';
      return `recorded an inspection (${slugWords(parts.kind ?? '').toLowerCase()})${outcome}`;
    }
    case 'notice.issue': {
      const recipient = parts.recipient ?? held.recipients.get(parts.notice_id);
      return `issued a notice (${slugWords(parts.kind ?? '').toLowerCase()})${recipient ? ` to ${recipient}` : ''}`;
    }
    case 'notification.read':
      return 'read a notification';
    case 'case.edit': {
      const fields = Object.keys(parts.changes ?? {});
      const [only] = fields;
      if (fields.length === 1 && only && !LONG.includes(only)) {
        const change = parts.changes?.[only];
        return `changed ${fieldWord(only)} from ${valueWords(only, change?.from, nameOf, now)} to ${valueWords(only, change?.to, nameOf, now)}`;
      }
      return fields.length === 0 ? 'edited the case' : `changed ${listed(fields.map(fieldWord))}`;
    }
  }
}

function textOf(operation: Operation, payload: unknown, held: Held): string | null {
  const parts = payloadParts(payload) as Named;
  if (operation === 'note.add') {
    // Nothing is shown of what was taken away, not even out of a change that is still on its way.
    const note = held.notes.get(parts.note_id);
    return note?.redacted ? null : (parts.text ?? note?.text ?? null);
  }
  if (operation === 'case.transition') return parts.comment ?? null;
  const own = ownText(operation, parts);
  if (own) return own;
  const id = parts.entry_id ?? parts.inspection_id ?? parts.notice_id;
  if (id !== undefined) return held.texts.get(id) ?? null;
  if (operation !== 'case.edit') return null;
  const long = Object.entries(parts.changes ?? {}).filter(([field]) => LONG.includes(field));
  const [only] = long;
  if (!only) return null;
  if (Object.keys(parts.changes ?? {}).length === 1) return String(only[1].to ?? '') || null;
  return long.map(([field, change]) => `${fieldWord(field)}: ${String(change.to ?? '')}`).join('\n');
}
