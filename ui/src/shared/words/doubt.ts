// The panel of a change in doubt: what is known, what the answer will mean, and stopping for good.
import { clockOrDay, type Moment } from '../time';

export const DOUBT_TITLE = 'Not known yet whether the server has this';

export function doubtText(resends: boolean): string {
  return resends
    ? 'It was sent once and no answer came back. It is sent again under the same number, so it takes effect once at most.'
    : 'It was sent once and no answer came back. The server is asked before it is sent again, and it keeps its number, so it takes effect once at most.';
}

export const ANSWER_MEANS = {
  has: 'The server has it: the mark goes away.',
  hasNot: 'The server does not have it: it is sent again under the same number.',
  refused: 'The server refused it: it comes back to you with the reason.',
} as const;

/** What is said after the server was asked. */
export function askAnswer(answer: string, nextAt: Moment | null, now: Moment): string {
  switch (answer) {
    case 'committed':
      return 'The server has it.';
    case 'failed':
      return 'The server refused it. It comes back to you with the reason.';
    case 'not_seen':
      return 'The server does not have it. Sending again.';
    case 'processing':
      return 'The server is still working on it.';
    case 'expired':
      return 'The server no longer keeps answers this old. Look at the case and decide.';
    default:
      return nextAt ? `No answer. Asked again at ${clockOrDay(nextAt, now)}.` : 'No answer.';
  }
}

export const SEAL_TITLE = 'Stop for good?';

export const SEAL_TEXT =
  'The server is told never to apply this. If it was applied already, you will see that instead. Needs a connection.';
