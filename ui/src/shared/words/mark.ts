// The word of each mark, and what a mark means where the change itself is not at hand.
import type { Mark } from '../../ipc/bindings';
import { countdown, type Moment } from '../time';

export const MARK_WORDS: Record<Mark, string> = {
  received: 'Received',
  received_saving_here: 'Received, saving here',
  saved_here: 'Saved here',
  waiting: 'Waiting',
  sending: 'Sending',
  will_retry: 'Will retry',
  in_doubt: 'In doubt',
  not_allowed: 'Not allowed',
  no_longer_yours: 'No longer yours',
  confirm_to_send: 'Confirm to send',
  missing_again: 'Missing again',
  stopped: 'Stopped',
  content_lost: 'Content lost',
  stopped_for_good: 'Stopped for good',
  refused: 'Refused',
  conflict: 'Conflict',
};

/** The word for at most 92 px: it may be shorter. */
export function shortMarkWord(mark: Mark, nextAt: Moment | null, now: Moment): string {
  if (mark === 'will_retry' && nextAt !== null) return `Retry ${countdown(nextAt, now)}`;
  if (mark === 'no_longer_yours') return 'Not yours';
  if (mark === 'received_saving_here') return 'Received';
  if (mark === 'stopped_for_good') return 'Stopped';
  if (mark === 'confirm_to_send') return 'Confirm';
  return MARK_WORDS[mark];
}

/** What the legend and the list's tooltip say of a mark when the change itself is not at hand. */
export const MARK_MEANINGS: Record<Mark, string> = {
  received: 'The server has it, once. The mark goes after a moment.',
  received_saving_here: 'The server has it. This computer is still noting it down.',
  saved_here: 'Safe on this computer. Not sent yet.',
  waiting: 'Goes when the reason is gone: offline, sign-in, another change first.',
  sending: 'Sent just now. Waiting for the answer.',
  will_retry: 'Nothing was changed on the server. Tried again by itself at the time shown.',
  in_doubt: 'Sent, no answer. The server may or may not have it. It keeps its number, so it counts once.',
  not_allowed: 'Your role does not allow it. Kept; sent if you get that right.',
  no_longer_yours: 'You may not change this case now. Kept; sent if access comes back.',
  confirm_to_send: 'Written a day ago, or before you signed in again. Confirm that it should still be sent.',
  missing_again: 'Received once, but the server was put back to an earlier time and no longer has it.',
  stopped: 'Failed the same way again and again. Nothing was changed.',
  content_lost: 'The text of this change could not be read back. It is not sent.',
  stopped_for_good: 'The server will never apply this. Nothing was changed.',
  refused: 'The server said no, and why. Nothing was changed.',
  conflict: 'Someone changed the same field first. Both are kept. You choose.',
};

export const NEEDS_DECISION: readonly Mark[] = [
  'conflict',
  'refused',
  'not_allowed',
  'no_longer_yours',
  'confirm_to_send',
  'missing_again',
  'stopped',
  'content_lost',
  'stopped_for_good',
];
