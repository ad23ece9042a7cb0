// The summary counts and is plural-aware.
import { describe, expect, it } from 'vitest';

import { summary } from './summary';

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
    expect(summary(counts, 'online')).toBe('7 changes to 5 cases are waiting. 3 need you, 1 is in doubt.');
  });
  it('is plural-aware', () => {
    expect(summary({ ...counts, open: 1, open_cases: 1, waiting: 1, in_doubt: 0, needs_attention: 0 }, 'online')).toBe(
      '1 change to 1 case is waiting.',
    );
  });
  it('says when only a person is needed', () => {
    expect(summary({ ...counts, open: 1, waiting: 0, in_doubt: 0, needs_attention: 1 }, 'online')).toBe(
      '1 change needs you.',
    );
  });
  it('says when everything was received', () => {
    expect(summary({ ...counts, open: 0, waiting: 0, in_doubt: 0, needs_attention: 0 }, 'online')).toBe(
      'Everything you did has been received.',
    );
  });
  it('says what is saved while offline', () => {
    expect(summary({ ...counts, open: 7 }, 'offline')).toBe('You are offline. 7 changes to 5 cases are saved here.');
  });
});
