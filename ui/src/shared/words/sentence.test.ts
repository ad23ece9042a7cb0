// The wording of each state equals section 4 of the interface’s page: mark, sentence, what comes next, actions.
import { describe, expect, it } from 'vitest';

import type { Mark, Operation, Reason } from '../../ipc/bindings';
import { aChange, DANA, NOW, todayAt } from '../examples';
import { ACTION_WORDS, actions } from './action';
import { MARK_WORDS } from './mark';
import { next } from './next';
import { sentence, type Around } from './sentence';

const nameOf = () => 'Dana Ruiz';

function after(operation: Operation, mark: Mark): Reason {
  return { kind: 'after', command_id: 'x', operation, mark };
}

type Row = {
  mark: Mark;
  reason: Reason;
  word: string;
  sentence: string;
  next: string;
  actions: string[];
  change?: Parameters<typeof aChange>[0];
  around?: Partial<Around>;
};

const ROWS: Row[] = [
  {
    mark: 'saved_here',
    reason: { kind: 'next' },
    word: 'Saved here',
    sentence: 'Saved on this computer at 14:32. Sent next.',
    next: 'Next',
    actions: [],
  },
  {
    mark: 'waiting',
    reason: { kind: 'offline' },
    word: 'Waiting',
    sentence: 'Saved on this computer. Sent when the connection is back.',
    next: 'When online',
    actions: ['Try now'],
  },
  {
    mark: 'waiting',
    reason: { kind: 'sign_in' },
    word: 'Waiting',
    sentence: 'Sign in to send this. It is kept meanwhile.',
    next: 'After sign-in',
    actions: ['Sign in'],
  },
  {
    mark: 'waiting',
    reason: after('note.add', 'sending'),
    word: 'Waiting',
    sentence: 'Goes after the note above, so that the order is kept.',
    next: 'After 1 other',
    actions: ['Show it'],
  },
  {
    mark: 'waiting',
    reason: { kind: 'dependency' },
    word: 'Waiting',
    sentence: 'Goes after the change it builds on, so that the order is kept.',
    next: 'After 2 others',
    actions: [],
    around: { before: 2 },
  },
  {
    mark: 'waiting',
    reason: after('case.edit', 'conflict'),
    word: 'Waiting',
    sentence: 'Waits for your decision on the conflict above.',
    next: '',
    actions: ['Show it'],
  },
  {
    mark: 'waiting',
    reason: after('case.transition', 'in_doubt'),
    word: 'Waiting',
    sentence: 'Waits until the status change above is no longer in doubt.',
    next: '',
    actions: ['Show it'],
  },
  {
    mark: 'waiting',
    reason: { kind: 'paused' },
    word: 'Waiting',
    sentence: 'Sending is paused by you.',
    next: '',
    actions: ['Resume'],
  },
  {
    mark: 'sending',
    reason: { kind: 'awaiting_answer', sent_at: todayAt(14, 32, 4) },
    word: 'Sending',
    sentence: 'Sent 4 seconds ago. Waiting for the answer.',
    next: '',
    actions: [],
  },
  {
    mark: 'will_retry',
    reason: { kind: 'connection_failed' },
    word: 'Will retry',
    sentence: 'The connection failed before anything was sent. Tried 4 times.',
    next: 'Next try in 0:24',
    actions: ['Try now'],
    change: { attempt: 4, next_attempt_at: todayAt(14, 32, 32) },
  },
  {
    mark: 'will_retry',
    reason: { kind: 'slow_down' },
    word: 'Will retry',
    sentence: 'The server asked to slow down and changed nothing. Tried 1 time.',
    next: 'Next try in 0:24',
    actions: ['Try now'],
    change: { attempt: 1, next_attempt_at: todayAt(14, 32, 32) },
  },
  {
    mark: 'will_retry',
    reason: { kind: 'server_busy' },
    word: 'Will retry',
    sentence: 'The server was busy and changed nothing. Tried 3 times.',
    next: 'Next try in 0:24',
    actions: ['Try now'],
    change: { attempt: 3, next_attempt_at: todayAt(14, 32, 32) },
  },
  {
    mark: 'confirm_to_send',
    reason: { kind: 'confirmation' },
    word: 'Confirm to send',
    sentence: 'Written more than 24 hours ago. Confirm that this notice should still be sent.',
    next: 'You',
    actions: ['Confirm and send', 'Copy text', 'Discard…'],
    change: { operation: 'notice.issue', created_at: new Date(2026, 10, 29, 13, 0).toISOString() },
  },
  {
    mark: 'confirm_to_send',
    reason: { kind: 'confirmation' },
    word: 'Confirm to send',
    sentence: 'Written before you signed in again. Confirm that this notice should still be sent.',
    next: 'You',
    actions: ['Confirm and send', 'Copy text', 'Discard…'],
    change: { operation: 'notice.issue' },
  },
  {
    mark: 'stopped',
    reason: { kind: 'quarantined', code: 'internal' },
    word: 'Stopped',
    sentence:
      'Failed the same way 8 times: the server had an error of its own. Nothing was changed. Other changes go on.',
    next: 'You',
    actions: ['Put back', 'Copy text', 'Discard…'],
    change: { attempt: 8 },
  },
  {
    mark: 'no_longer_yours',
    reason: { kind: 'hidden' },
    word: 'No longer yours',
    sentence: 'The case moved to District 3 on Nov 27. Your note is kept, and sent if you get access again.',
    next: 'Checked 14:20',
    actions: ['Copy text', 'Discard…'],
    change: { updated_at: todayAt(14, 20) },
    around: { hiddenBecause: 'The case moved to District 3 on Nov 27.' },
  },
  {
    mark: 'not_allowed',
    reason: { kind: 'role' },
    word: 'Not allowed',
    sentence: 'Closing a case needs a supervisor. It is kept, and sent if you get that right.',
    next: 'Checked 14:20',
    actions: ['Copy text', 'Discard…'],
    change: { operation: 'case.transition', payload: { to: 'closed' }, updated_at: todayAt(14, 20) },
  },
  {
    mark: 'in_doubt',
    reason: { kind: 'ask_first' },
    word: 'In doubt',
    sentence: 'Sent at 14:06, no answer came back. The server is asked before it is sent again.',
    next: 'Next check 14:34',
    actions: ['Details', 'Ask the server'],
    change: { state: 'unknown', next_attempt_at: todayAt(14, 34), sent_at: todayAt(14, 6) },
  },
  {
    mark: 'in_doubt',
    reason: { kind: 'resend' },
    word: 'In doubt',
    sentence: 'Sent at 14:06, no answer came back. It is sent again under the same number, so it counts once.',
    next: 'Next try 14:34',
    actions: ['Details', 'Ask the server'],
    change: { state: 'unknown', next_attempt_at: todayAt(14, 34), sent_at: todayAt(14, 6) },
  },
  {
    mark: 'in_doubt',
    reason: { kind: 'too_old' },
    word: 'In doubt',
    sentence: 'The server no longer keeps answers this old. Look at the case and decide.',
    next: 'You',
    actions: ['Open case', 'Discard…'],
  },
  {
    mark: 'stopped',
    reason: { kind: 'recovered' },
    word: 'Stopped',
    sentence: 'Read back from the damaged store. It is not sent before you put it back.',
    next: 'You',
    actions: ['Put back', 'Copy text', 'Discard…'],
  },
  {
    mark: 'missing_again',
    reason: { kind: 'missing_again', received_at: todayAt(11, 2) },
    word: 'Missing again',
    sentence: 'Received at 11:02, but the server was put back to an earlier time and no longer has it.',
    next: 'You',
    actions: ['Send again', 'Leave out…'],
  },
  {
    mark: 'in_doubt',
    reason: { kind: 'recovered' },
    word: 'In doubt',
    sentence:
      'Read back from the damaged store; the server may have it already. It is asked before this is sent again.',
    next: 'You',
    actions: ['Put back', 'Copy text', 'Discard…'],
    change: { state: 'unknown' },
  },
  {
    mark: 'conflict',
    reason: { kind: 'conflict', fields: ['title', 'due_on', 'description'] },
    word: 'Conflict',
    sentence: 'Dana Ruiz changed the same 3 fields at 13:51, before yours arrived. Nothing was overwritten.',
    next: 'Since 13:58',
    actions: ['Resolve…'],
    change: { updated_at: todayAt(13, 58), their_actor: DANA, their_at: todayAt(13, 51) },
    around: { nameOf },
  },
  {
    mark: 'refused',
    reason: { kind: 'rule', reason: 'illegal-transition' },
    word: 'Refused',
    sentence: 'A resolved case cannot go back to Open. Nothing was changed.',
    next: 'Since 13:22',
    actions: ['Edit and send as new', 'Copy text', 'Discard…'],
    change: {
      operation: 'case.transition',
      payload: { to: 'open' },
      from_status: 'resolved',
      updated_at: todayAt(13, 22),
    },
  },
  {
    mark: 'refused',
    reason: { kind: 'archived' },
    word: 'Refused',
    sentence: 'The case was archived on Nov 28 by Priya Nair. Nothing was changed.',
    next: 'Since 13:22',
    actions: ['Copy text', 'Discard…'],
    change: { updated_at: todayAt(13, 22) },
    around: { archivedAt: new Date(2026, 10, 28, 9), archivedBy: 'Priya Nair' },
  },
  {
    mark: 'refused',
    reason: { kind: 'too_large' },
    word: 'Refused',
    sentence: 'Too large for the server (16 MB, limit 4 MB). Nothing was changed.',
    next: 'Since 13:22',
    actions: ['Copy text', 'Discard…'],
    change: { payload: { text: 'x'.repeat(16_000_000) }, updated_at: todayAt(13, 22) },
    around: { limitBytes: 4_000_000 },
  },
  {
    mark: 'refused',
    reason: { kind: 'not_understood' },
    word: 'Refused',
    sentence: 'The server does not understand this version of the change. Nothing was changed.',
    next: 'Since 13:22',
    actions: ['Copy text', 'Discard…'],
    change: { updated_at: todayAt(13, 22) },
  },
  {
    mark: 'refused',
    reason: { kind: 'number_reused' },
    word: 'Refused',
    sentence: 'This number was used for something else. Nothing was changed.',
    next: 'Since 13:22',
    actions: ['Copy text', 'Discard…'],
    change: { updated_at: todayAt(13, 22) },
  },
  {
    mark: 'stopped_for_good',
    reason: { kind: 'sealed' },
    word: 'Stopped for good',
    sentence: 'The server will never apply this. Nothing was changed.',
    next: '',
    actions: ['Copy text', 'Discard…'],
  },
  {
    mark: 'received_saving_here',
    reason: { kind: 'received' },
    word: 'Received, saving here',
    sentence: 'The server has it. This computer is still noting it down.',
    next: '',
    actions: [],
    change: { state: 'acked' },
  },
  {
    mark: 'received',
    reason: { kind: 'received' },
    word: 'Received',
    sentence: 'Received at 14:31, once.',
    next: '',
    actions: ['Open case'],
    change: { state: 'acked', updated_at: todayAt(14, 31) },
  },
  {
    mark: 'content_lost',
    reason: { kind: 'content_lost' },
    word: 'Content lost',
    sentence: 'The text of this change could not be read back. It is not sent.',
    next: 'You',
    actions: ['Details', 'Discard…'],
  },
];

describe('each state of a change', () => {
  it.each(ROWS)('$mark, $reason.kind', ({ mark, reason, change, around, ...said }) => {
    const pending = aChange({ mark, reason, ...change });
    const known = { now: NOW, ...around };
    expect(MARK_WORDS[mark]).toBe(said.word);
    expect(sentence(pending, known)).toBe(said.sentence);
    expect(next(pending, known)).toBe(said.next);
    expect(actions(pending).map((action) => ACTION_WORDS[action])).toEqual(said.actions);
  });

  it('is covered for every mark', () => {
    expect([...new Set(ROWS.map((row) => row.mark))].sort()).toEqual(Object.keys(MARK_WORDS).sort());
  });
});
