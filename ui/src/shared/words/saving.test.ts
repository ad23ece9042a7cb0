// The sentences about a save.
import { expect, it } from 'vitest';

import { NOW, todayAt } from '../examples';
import { savedAgain } from './saving';

it('pressed twice', () => {
  expect(savedAgain(todayAt(14, 6), NOW)).toBe('This was already saved at 14:06. It was not saved twice.');
});
