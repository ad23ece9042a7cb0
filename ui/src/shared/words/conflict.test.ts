// The sentences of a conflict.
import { expect, it } from 'vitest';

import { NOW, todayAt } from '../examples';
import { chooseFor, conflictText, conflictTitle, keepVersion, movedAgain } from './conflict';

it('conflict', () => {
  expect(conflictTitle('Dana Ruiz')).toBe('You and Dana Ruiz changed the same fields');
  expect(conflictText('Dana Ruiz')).toBe(
    'Choose what each field should say. Your text and Dana’s both stay until you decide; nothing is sent before you press Save decision.',
  );
  expect(chooseFor(['due_on', 'description'])).toBe('Choose for Due and Description.');
  expect(movedAgain('Dana Ruiz', ['due_on'], todayAt(14, 41), NOW)).toBe(
    'Dana changed Due again at 14:41. Look once more.',
  );
  expect(keepVersion('Dana Ruiz')).toBe('Keep Dana’s version');
});
