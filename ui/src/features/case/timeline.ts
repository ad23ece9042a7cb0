// One timeline of what the server committed and what is still on its way: pending first, newest on top.
import type { Activity, CaseDetail, Operation, Pending } from '../../ipc/bindings';
import type { IconName } from '../../shared/icons';
import { fieldWord, listed, payloadParts, STATUS_WORDS, valueWords, type NameOf } from '../../shared/words';
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
  'note.add': 'note',
};

/** The entries of a case, newest first. A change that both sides know is shown once, as received. */
export function entriesOf(detail: CaseDetail, me: string, nameOf: NameOf, now: Moment): Entry[] {
  const committed = new Set(detail.timeline.map((activity) => activity.id));
  const notes = new Map(detail.notes.map(({ note }) => [note.id, note.text]));
  const say = (of: Activity | Pending) => saidOf(of.operation, of.payload, of.from_status, me, nameOf, now);
  const pending = detail.pending
    .filter((change) => !committed.has(change.command_id) && !change.resolution)
    .map((change): Entry => ({
      id: change.command_id,
      at: change.created_at,
      receivedAt: null,
      actorId: me,
      operation: change.operation,
      said: say(change),
      text: textOf(change.operation, change.payload, notes),
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
    text: textOf(activity.operation, activity.payload, notes),
    pending: null,
  }));
  return [...pending, ...received];
}

function isApart(activity: Activity): boolean {
  return Math.abs(Date.parse(activity.created_at) - Date.parse(activity.issued_at)) > APART_MS;
}

const LONG = ['title', 'description', 'address'];

function saidOf(
  operation: Operation,
  payload: unknown,
  from: Activity['from_status'],
  me: string,
  nameOf: NameOf,
  now: Moment,
): string {
  const parts = payloadParts(payload);
  switch (operation) {
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
    case 'note.add':
      return 'added a note';
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

function textOf(operation: Operation, payload: unknown, notes: ReadonlyMap<string, string>): string | null {
  const parts = payloadParts(payload) as ReturnType<typeof payloadParts> & { note_id?: string; comment?: string };
  if (operation === 'note.add') return parts.text ?? notes.get(parts.note_id ?? '') ?? null;
  if (operation === 'case.transition') return parts.comment ?? null;
  if (operation !== 'case.edit') return null;
  const long = Object.entries(parts.changes ?? {}).filter(([field]) => LONG.includes(field));
  const [only] = long;
  if (!only) return null;
  if (Object.keys(parts.changes ?? {}).length === 1) return String(only[1].to ?? '') || null;
  return long.map(([field, change]) => `${fieldWord(field)}: ${String(change.to ?? '')}`).join('\n');
}
