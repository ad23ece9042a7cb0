import { expect, it } from 'vitest';

import { aLine, aStatus } from '../../shared/examples';
import { choices, isConfirmed, stateCounts } from './sign-out';

it('counts every state of what is open', () => {
  const lines = [
    aLine({ mark: 'saved_here' }),
    aLine({ mark: 'sending' }),
    aLine({ mark: 'in_doubt' }, 'in_doubt'),
    aLine({ mark: 'conflict' }, 'needs_you'),
    aLine({ mark: 'conflict' }, 'needs_you'),
    aLine({ mark: 'refused' }, 'needs_you'),
    aLine({ mark: 'received', state: 'acked' }, 'received'),
  ];
  expect(stateCounts(lines).map((state) => state.words)).toEqual([
    '2 waiting',
    '1 in doubt',
    '1 refused',
    '2 conflicts',
  ]);
});

it('offers to send first only where something can go now', () => {
  const { counts } = aStatus();
  expect(choices({ ...counts, waiting: 2 }, true)).toEqual(['send', 'keep', 'discard']);
  expect(choices({ ...counts, waiting: 2 }, false)).toEqual(['keep', 'discard']);
  expect(choices({ ...counts, waiting: 0 }, true)).toEqual(['keep', 'discard']);
});

it('discards only for the number itself', () => {
  expect(isConfirmed('11', 11)).toBe(true);
  expect(isConfirmed(' 11 ', 11)).toBe(true);
  for (const wrong of ['', '1', '111', '11a', 'eleven']) expect(isConfirmed(wrong, 11)).toBe(false);
});
