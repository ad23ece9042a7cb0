// Which later changes go with one that is discarded: a new case takes everything done to it, a note or a task what was
// to be changed of it. What merely waits behind it is sent on its own.
import type { Operation, Pending } from '../../ipc/bindings';

/** The member that names what is made, and the operation that changes it. */
const MADE: Partial<Record<Operation, { id: string; changedBy: Operation }>> = {
  'note.add': { id: 'note_id', changedBy: 'note.redact' },
  'task.add': { id: 'task_id', changedBy: 'task.set_done' },
};

function member(change: Pending, name: string): unknown {
  return (change.payload as Record<string, unknown> | null)?.[name];
}

/** How many of `others` go with `change`. */
export function dependents(change: Pending, others: readonly Pending[]): number {
  const made = MADE[change.operation];
  const isGone = (other: Pending) => {
    if (other.case_id !== change.case_id || other.resolution || other.command_id === change.command_id) return false;
    if (change.operation === 'case.create') return other.operation !== 'notification.read';
    return (
      made !== undefined && other.operation === made.changedBy && member(other, made.id) === member(change, made.id)
    );
  };
  return others.filter(isGone).length;
}
