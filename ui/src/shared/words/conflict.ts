// The window of a conflict: two versions, and the choice between them.
import type { Operation } from '../../ipc/bindings';
import { clockOrDay, type Moment } from '../time';
import { fieldWord } from './case';
import { OPERATION_NOUNS } from './change';
import { firstName, listed } from './phrases';

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
