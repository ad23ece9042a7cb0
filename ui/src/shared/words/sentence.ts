// The sentence beside a mark (UI page, section 4). Templates take what is known and leave out what is not.
import type { Mark, Pending } from '../../ipc/bindings';
import { clockOrDay, secondsSince, shortDate, type Moment } from '../time';
import type { NameOf } from './case';
import { OPERATION_NOUNS } from './change';
import { NEEDS_DECISION } from './mark';
import { counted, megabytes } from './phrases';
import { codeWords, roleNeeded, ruleSentence } from './refusal';

/** What is known around a change; whatever is absent is left out of the sentence. */
export type Around = {
  now: Moment;
  /** How people are called. */
  nameOf?: NameOf;
  /** Who archived the case, and when. */
  archivedBy?: string | null;
  archivedAt?: Moment | null;
  /** Why access was lost, as a sentence. */
  hiddenBecause?: string | null;
  /** The server's limit for a change. */
  limitBytes?: number | null;
  /** How many other changes go first. */
  before?: number;
  /** Whether the change waited for is written above (older first) or below. */
  place?: 'above' | 'below';
  /** The title of what replaced this change. */
  replacedBy?: string | null;
};

const DECISION_NOUNS: Partial<Record<Mark, string>> = { conflict: 'the conflict', refused: 'the refused change' };

/** The sentence beside the mark: what happened, what is safe, what comes next. */
export function sentence(change: Pending, around: Around): string {
  if (change.resolution) return `${clockOrDay(change.resolution.at_ms, around.now)}, with what was shown then.`;
  const noun = OPERATION_NOUNS[change.operation];
  const reason = change.reason;
  const place = around.place ?? 'above';
  switch (reason.kind) {
    case 'next':
      return `Saved on this computer at ${clockOrDay(change.created_at, around.now)}. Sent next.`;
    case 'offline':
      return 'Saved on this computer. Sent when the connection is back.';
    case 'sign_in':
      return 'Sign in to send this. It is kept meanwhile.';
    case 'paused':
      return 'Sending is paused by you.';
    case 'after':
      if (reason.mark === 'in_doubt')
        return `Waits until the ${OPERATION_NOUNS[reason.operation]} ${place} is no longer in doubt.`;
      if (NEEDS_DECISION.includes(reason.mark)) {
        return `Waits for your decision on ${DECISION_NOUNS[reason.mark] ?? `the ${OPERATION_NOUNS[reason.operation]}`} ${place}.`;
      }
      return `Goes after the ${OPERATION_NOUNS[reason.operation]} ${place}, so that the order is kept.`;
    case 'dependency':
      return 'Goes after the change it builds on, so that the order is kept.';
    case 'awaiting_answer':
      return `Sent ${counted(secondsSince(reason.sent_at, around.now), 'second')} ago. Waiting for the answer.`;
    case 'connection_failed':
      return `The connection failed before anything was sent. ${tried(change)}`;
    case 'slow_down':
      return `The server asked to slow down and changed nothing. ${tried(change)}`;
    case 'server_busy':
      return `The server was busy and changed nothing. ${tried(change)}`;
    case 'not_our_server':
      return 'A page that is not the Onceover server answered. No change counts as received.';
    case 'confirmation':
      return `${writtenWhen(change, around.now)} Confirm that this ${noun} should still be sent.`;
    case 'quarantined':
      return `Failed the same way ${counted(change.attempt, 'time')}: ${codeWords(reason.code)}. Nothing was changed. Other changes go on.`;
    case 'role':
      return `${roleNeeded(change)} needs a supervisor. It is kept, and sent if you get that right.`;
    case 'hidden':
      return `${around.hiddenBecause ?? 'This case is no longer shown to you.'} Your ${noun} is kept, and sent if you get access again.`;
    case 'recovered':
      return change.state === 'unknown'
        ? 'Read back from the damaged store; the server may have it already. It is asked before this is sent again.'
        : 'Read back from the damaged store. It is not sent before you put it back.';
    case 'missing_again':
      return `Received at ${clockOrDay(reason.received_at, around.now)}, but the server was put back to an earlier time and no longer has it.`;
    case 'ask_first':
      return `Sent at ${sentAt(change, around.now)}, no answer came back. The server is asked before it is sent again.`;
    case 'resend':
      return `Sent at ${sentAt(change, around.now)}, no answer came back. It is sent again under the same number, so it counts once.`;
    case 'too_old':
      return 'The server no longer keeps answers this old. Look at the case and decide.';
    case 'conflict':
      return conflictSentence(reason.fields.length, change, around);
    case 'rule':
      return `${ruleSentence(reason.reason, change)} Nothing was changed.`;
    case 'archived':
      return `The case was archived${around.archivedAt ? ` on ${shortDate(around.archivedAt, around.now)}` : ''}${around.archivedBy ? ` by ${around.archivedBy}` : ''}. Nothing was changed.`;
    case 'too_large': {
      const size = megabytes(JSON.stringify(change.payload ?? null).length);
      return `Too large for the server (${size}${around.limitBytes ? `, limit ${megabytes(around.limitBytes)}` : ''}). Nothing was changed.`;
    }
    case 'not_understood':
      return 'The server does not understand this version of the change. Nothing was changed.';
    case 'number_reused':
      return 'This number was used for something else. Nothing was changed.';
    case 'dependency_failed':
      return 'The change it builds on was refused. Nothing was changed.';
    case 'sealed':
      return 'The server will never apply this. Nothing was changed.';
    case 'content_lost':
      return 'The text of this change could not be read back. It is not sent.';
    case 'received':
      return change.mark === 'received_saving_here'
        ? 'The server has it. This computer is still noting it down.'
        : `Received at ${clockOrDay(change.updated_at, around.now)}, once.`;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Why a change is asked about again: it is old, or of a session that ended. */
function writtenWhen(change: Pending, now: Moment): string {
  const isOld = new Date(now).getTime() - new Date(change.created_at).getTime() > DAY_MS;
  return isOld ? 'Written more than 24 hours ago.' : 'Written before you signed in again.';
}

function tried(change: Pending): string {
  return `Tried ${counted(change.attempt, 'time')}.`;
}

function sentAt(change: Pending, now: Moment): string {
  return clockOrDay(change.sent_at ?? change.updated_at, now);
}

function conflictSentence(fields: number, change: Pending, around: Around): string {
  const who = (change.their_actor && around.nameOf?.(change.their_actor)) || 'Someone';
  const what = fields === 0 ? 'the case' : fields === 1 ? 'the same field' : `the same ${fields} fields`;
  const when = change.their_at ? ` at ${clockOrDay(change.their_at, around.now)},` : '';
  return `${who} changed ${what}${when} before yours arrived. Nothing was overwritten.`;
}
