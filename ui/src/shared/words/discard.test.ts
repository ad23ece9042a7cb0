// The question before a change is discarded.
import { expect, it } from 'vitest';

import { discardText, discardTitle } from './discard';

it('discard', () => {
  expect(discardTitle('note.add')).toBe('Discard this note?');
  expect(discardText('', true, 2)).toBe(
    'It is removed from this computer and never sent. It may have reached the server already. 2 later changes that build on it go too.',
  );
  expect(discardText('', false, 0)).toBe('It is removed from this computer and never sent.');
});
