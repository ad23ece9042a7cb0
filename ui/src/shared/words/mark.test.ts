// Marks in narrow places.
import { expect, it } from 'vitest';

import { NOW, todayAt } from '../examples';
import { shortMarkWord } from './mark';

it('has short words for narrow places', () => {
  expect(shortMarkWord('will_retry', todayAt(14, 32, 32), NOW)).toBe('Retry 0:24');
  expect(shortMarkWord('will_retry', null, NOW)).toBe('Will retry');
  expect(shortMarkWord('no_longer_yours', null, NOW)).toBe('Not yours');
});
