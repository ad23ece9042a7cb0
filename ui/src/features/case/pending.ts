// Which change stands behind what a case shows.
import type { CaseDetail, Mark, Pending } from '../../ipc/bindings';
import { payloadParts } from '../../shared/words/change';
import { MARK_WORDS } from '../../shared/words/mark';

/** From what looks after itself to what is most pressing; the order of the words' table. */
const PRESSING = Object.keys(MARK_WORDS) as Mark[];

/** The change that most needs looking at. */
export function mostPressing(changes: readonly Pending[]): Pending | undefined {
  return [...changes]
    .filter((change) => !change.resolution)
    .sort((a, b) => PRESSING.indexOf(b.mark) - PRESSING.indexOf(a.mark))[0];
}

function touches(change: Pending, field: string): boolean {
  switch (change.operation) {
    case 'case.create':
      return true;
    case 'case.edit':
      return field in (payloadParts(change.payload).changes ?? {});
    case 'case.transition':
      return field === 'status';
    case 'case.assign':
      return field === 'assignee_id';
    case 'tag.add':
    case 'tag.remove':
      return field === 'tags';
    case 'case.archive':
    case 'case.restore':
      return field === 'archived';
    case 'note.add':
    case 'note.redact':
    case 'task.add':
    case 'task.set_done':
    case 'time.log':
    case 'inspection.record':
    case 'notice.issue':
    case 'notification.read':
      return false;
  }
}

/** The newest change that gave a field its shown value; undefined if the server did. */
export function changeBehind(detail: CaseDetail, field: string): Pending | undefined {
  if (!detail.pending_fields.includes(field)) return undefined;
  return [...detail.pending].reverse().find((change) => !change.resolution && touches(change, field));
}

export function openCount(detail: CaseDetail): number {
  return detail.pending.filter((change) => !change.resolution && change.state !== 'acked').length;
}

/** The pending changes of `before` that `after` knows as committed. */
export function justReceived(before: CaseDetail | null, after: CaseDetail): string[] {
  if (!before) return [];
  const still = new Set(after.pending.map((change) => change.command_id));
  const committed = new Set(after.timeline.map((activity) => activity.id));
  return before.pending.map((change) => change.command_id).filter((id) => !still.has(id) && committed.has(id));
}
