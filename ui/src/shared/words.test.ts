// The wording of each state equals section 4 of the interface's page.
import { describe, expect, it } from 'vitest';

import type { Mark, Operation, Reason } from '../ipc/bindings';
import { aChange, aStatus, DANA, ME, NOW, todayAt } from './examples';
import * as words from './words';

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
  around?: Partial<words.Around>;
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
  it.each(ROWS)('$mark, $reason.kind', ({ mark, reason, word, sentence, next, actions, change, around }) => {
    const pending = aChange({ mark, reason, ...change });
    const known = { now: NOW, ...around };
    expect(words.MARK_WORDS[mark]).toBe(word);
    expect(words.sentence(pending, known)).toBe(sentence);
    expect(words.next(pending, known)).toBe(next);
    expect(words.actions(pending).map((action) => words.ACTION_WORDS[action])).toEqual(actions);
  });

  it('is covered for every mark', () => {
    expect([...new Set(ROWS.map((row) => row.mark))].sort()).toEqual(Object.keys(words.MARK_WORDS).sort());
  });

  it('says how it was decided', () => {
    const discarded = aChange({ resolution: { kind: 'discarded', by: ME, at_ms: Date.parse(todayAt(14, 40)) } });
    expect(words.resolutionWord(discarded)).toBe('Discarded by you');
    expect(words.sentence(discarded, { now: NOW })).toBe('14:40, with what was shown then.');
    const replaced = aChange({ resolution: { kind: 'superseded', by: ME, at_ms: Date.parse(todayAt(14, 40)) } });
    expect(words.resolutionWord(replaced)).toBe('Replaced by your decision');
  });

  it('has short words for narrow places', () => {
    expect(words.shortMarkWord('will_retry', todayAt(14, 32, 32), NOW)).toBe('Retry 0:24');
    expect(words.shortMarkWord('will_retry', null, NOW)).toBe('Will retry');
    expect(words.shortMarkWord('no_longer_yours', null, NOW)).toBe('Not yours');
  });
});

describe('the summary', () => {
  const counts = {
    by_state: {},
    open: 11,
    open_cases: 5,
    waiting: 7,
    in_doubt: 1,
    needs_attention: 3,
    received_today: 0,
  };

  it('counts what waits, what needs a person and what is in doubt', () => {
    expect(words.summary(counts, 'online')).toBe('7 changes to 5 cases are waiting. 3 need you, 1 is in doubt.');
  });
  it('is plural-aware', () => {
    expect(
      words.summary({ ...counts, open: 1, open_cases: 1, waiting: 1, in_doubt: 0, needs_attention: 0 }, 'online'),
    ).toBe('1 change to 1 case is waiting.');
  });
  it('says when only a person is needed', () => {
    expect(words.summary({ ...counts, open: 1, waiting: 0, in_doubt: 0, needs_attention: 1 }, 'online')).toBe(
      '1 change needs you.',
    );
  });
  it('says when everything was received', () => {
    expect(words.summary({ ...counts, open: 0, waiting: 0, in_doubt: 0, needs_attention: 0 }, 'online')).toBe(
      'Everything you did has been received.',
    );
  });
  it('says what is saved while offline', () => {
    expect(words.summary({ ...counts, open: 7 }, 'offline')).toBe(
      'You are offline. 7 changes to 5 cases are saved here.',
    );
  });
  it('says the last contact', () => {
    expect(words.lastContact(aStatus(), NOW)).toBe('Online. Last answer from the server 8 seconds ago.');
    expect(words.lastContact(aStatus({ link: 'offline', link_since: todayAt(14, 18) }), NOW)).toBe(
      'Offline since 14:18.',
    );
  });
});

describe('the other sentences', () => {
  it('offline banner', () => {
    expect(`${words.OFFLINE_TITLE} ${words.offlineText(todayAt(14, 18), NOW)}`).toBe(
      'You are offline. Keep working: what you do is saved on this computer and sent when the connection is back. Cases are as of 14:18.',
    );
  });
  it('pressed twice', () => {
    expect(words.savedAgain(todayAt(14, 6), NOW)).toBe('This was already saved at 14:06. It was not saved twice.');
  });
  it('in doubt', () => {
    expect(words.doubtText(false)).toBe(
      'It was sent once and no answer came back. The server is asked before it is sent again, and it keeps its number, so it takes effect once at most.',
    );
    expect(words.doubtText(true)).toBe(
      'It was sent once and no answer came back. It is sent again under the same number, so it takes effect once at most.',
    );
    expect(words.askAnswer('committed', null, NOW)).toBe('The server has it.');
    expect(words.askAnswer('not_seen', null, NOW)).toBe('The server does not have it. Sending again.');
    expect(words.askAnswer('processing', null, NOW)).toBe('The server is still working on it.');
    expect(words.askAnswer('no_answer', todayAt(14, 50), NOW)).toBe('No answer. Asked again at 14:50.');
  });
  it('discard', () => {
    expect(words.discardTitle('note.add')).toBe('Discard this note?');
    expect(words.discardText('', true, 2)).toBe(
      'It is removed from this computer and never sent. It may have reached the server already. 2 later changes that build on it go too.',
    );
    expect(words.discardText('', false, 0)).toBe('It is removed from this computer and never sent.');
  });
  it('sign-out', () => {
    expect(words.SIGN_OUT.title(11)).toBe('11 of your changes have not been received');
    expect(words.SIGN_OUT.discardText(11, 1)).toBe(
      'They are removed from this computer and never sent. The one in doubt may have reached the server already. You will be asked to type the number 11.',
    );
    expect(words.SIGN_OUT.sendFirstText(7)).toBe('Waits for 7 that can go now, then signs out.');
  });
  it('conflict', () => {
    expect(words.conflictTitle('Dana Ruiz')).toBe('You and Dana Ruiz changed the same fields');
    expect(words.conflictText('Dana Ruiz')).toBe(
      'Choose what each field should say. Your text and Dana’s both stay until you decide; nothing is sent before you press Save decision.',
    );
    expect(words.chooseFor(['due_on', 'description'])).toBe('Choose for Due and Description.');
    expect(words.movedAgain('Dana Ruiz', ['due_on'], todayAt(14, 41), NOW)).toBe(
      'Dana changed Due again at 14:41. Look once more.',
    );
    expect(words.keepVersion('Dana Ruiz')).toBe('Keep Dana’s version');
  });
  it('trouble', () => {
    expect(words.TROUBLE.storage('storage-full', 'note', 11)).toEqual({
      title: 'Not saved: this disk is full',
      text: 'Your note is still in the form. Nothing on the case was changed. Free about 50 MB, then save again. The 11 changes saved earlier are safe.',
    });
    expect(words.TROUBLE.storeNewer('2.4', '2.1', 11).text).toBe(
      'Your store was last used by version 2.4; this is 2.1. It is opened for reading only and nothing is sent. Your 11 unsent changes are in it, unchanged.',
    );
    expect(words.TROUBLE.storeDamaged(10, 1).text).toBe(
      'It was moved aside and copied, nothing was deleted. 10 of 11 unsent changes could be read back; 1 could not and is listed. Nothing is sent before you look at it.',
    );
    expect(words.TROUBLE.storeDamaged(0, null).text).toBe(
      'What is left of it was moved aside, nothing was deleted. No unsent change could be read back; how many more were in it is not known. Nothing is sent before you look at it.',
    );
    expect(words.TROUBLE.storeDamaged(2, null).text).toContain('2 unsent changes could be read back; how many more');
    expect(words.signInProblem('invalid-credentials', 'x')).toBe('Organization, user name or password is not right.');
    expect(words.signInProblem('unreachable', 'cases.example')).toBe('No Onceover server answers at cases.example.');
    expect(words.signInProblem('clock', 'x')).toBe('This computer’s clock is off; the certificate cannot be checked.');
    expect(words.signInProblem('tls', 'x')).toBe('The server’s certificate is not trusted.');
  });
  it('names changes and cases', () => {
    const title = (over: Parameters<typeof aChange>[0]) => words.changeTitle(aChange(over), nameOf, NOW);
    expect(title({ operation: 'case.transition', payload: { to: 'under_review' }, from_status: 'open' })).toBe(
      'Status from Open to Under review',
    );
    expect(title({ operation: 'tag.add', payload: { tag: 'alley' } })).toBe('Tag “alley”');
    expect(
      title({ operation: 'case.edit', payload: { changes: { due_on: { from: '2026-12-04', to: '2026-12-11' } } } }),
    ).toBe('Due from Dec 4 to Dec 11');
    expect(title({ operation: 'case.edit', payload: { changes: { title: {}, due_on: {}, description: {} } } })).toBe(
      'Title, Due and Description',
    );
    expect(words.caseLabel({ external_id: 'CE-1', number: '2026-000001' })).toBe('CE-1');
    expect(words.caseLabel({ external_id: null, number: '2026-000001' })).toBe('2026-000001');
    expect(words.caseLabel({})).toBe('New case');
  });
  it('history', () => {
    const step = (
      from: null | 'queued' | 'sending' | 'unknown',
      to: 'queued' | 'sending' | 'unknown' | 'acked',
      event: string,
      seconds: number | null = null,
    ) => words.historyStep({ from, to, event, code: null, attempt: 1 }, seconds);
    expect(step(null, 'queued', 'accepted')).toBe('Saved on this computer');
    expect(step('queued', 'sending', 'send_marked')).toBe('Sent to the server');
    expect(step('sending', 'unknown', 'outcome_unknown', 15)).toBe('No answer after 15 seconds');
    expect(step('unknown', 'unknown', 'still_unknown')).toBe('Asked: no answer');
    expect(step('sending', 'acked', 'receipt_valid')).toBe('Received, once');
  });
});

it('offers to edit what was refused on a case, not a case that was refused itself', () => {
  const refused = {
    mark: 'refused',
    state: 'rejected',
    reason: { kind: 'rule', reason: 'external-id-taken' },
  } as const;
  expect(words.actions(aChange({ ...refused, operation: 'case.edit' }))).toEqual([
    'edit_again',
    'copy_text',
    'discard',
  ]);
  expect(words.actions(aChange({ ...refused, operation: 'case.create' }))).toEqual(['copy_text', 'discard']);
});
