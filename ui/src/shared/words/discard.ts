// The question before a change is discarded.
import type { Operation } from '../../ipc/bindings';
import { OPERATION_NOUNS } from './change';
import { counted } from './phrases';

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
