// The sentences of a change in doubt.
import { expect, it } from 'vitest';

import { NOW, todayAt } from '../examples';
import { askAnswer, doubtText } from './doubt';

it('in doubt', () => {
  expect(doubtText(false)).toBe(
    'It was sent once and no answer came back. The server is asked before it is sent again, and it keeps its number, so it takes effect once at most.',
  );
  expect(doubtText(true)).toBe(
    'It was sent once and no answer came back. It is sent again under the same number, so it takes effect once at most.',
  );
  expect(askAnswer('committed', null, NOW)).toBe('The server has it.');
  expect(askAnswer('not_seen', null, NOW)).toBe('The server does not have it. Sending again.');
  expect(askAnswer('processing', null, NOW)).toBe('The server is still working on it.');
  expect(askAnswer('no_answer', todayAt(14, 50), NOW)).toBe('No answer. Asked again at 14:50.');
});
