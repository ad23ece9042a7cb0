// The steps of a history.
import { expect, it } from 'vitest';

import { historyStep } from './history';

it('history', () => {
  const step = (
    from: null | 'queued' | 'sending' | 'unknown',
    to: 'queued' | 'sending' | 'unknown' | 'acked',
    event: string,
    seconds: number | null = null,
  ) => historyStep({ from, to, event, code: null, attempt: 1 }, seconds);
  expect(step(null, 'queued', 'accepted')).toBe('Saved on this computer');
  expect(step('queued', 'sending', 'send_marked')).toBe('Sent to the server');
  expect(step('sending', 'unknown', 'outcome_unknown', 15)).toBe('No answer after 15 seconds');
  expect(step('unknown', 'unknown', 'still_unknown')).toBe('Asked: no answer');
  expect(step('sending', 'acked', 'receipt_valid')).toBe('Received, once');
});
