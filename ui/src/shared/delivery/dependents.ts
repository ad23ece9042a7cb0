// Which later changes go with one that is discarded: those of the same case that cannot pass it.
import type { Pending } from '../../ipc/bindings';

/** How many of `others`, made later, wait for `change`: found by following who waits for whom. */
export function dependents(change: Pending, others: readonly Pending[]): number {
  const gone = new Set([change.command_id]);
  for (const other of others) {
    if (other.case_id !== change.case_id || other.resolution || gone.has(other.command_id)) continue;
    const isBehind = other.reason.kind === 'after' && gone.has(other.reason.command_id);
    const needsCase = change.operation === 'case.create';
    if (isBehind || needsCase) gone.add(other.command_id);
  }
  return gone.size - 1;
}
