import { expect, it } from 'vitest';

import { isLong, pieces, start } from './text';

it('shows characters that hide', () => {
  expect(pieces('a\u202eb')).toEqual([
    { kind: 'text', text: 'a' },
    { kind: 'hidden', name: 'U+202E' },
    { kind: 'text', text: 'b' },
  ]);
  expect(pieces('zero\u200bwidth').filter((piece) => piece.kind === 'hidden')).toEqual([
    { kind: 'hidden', name: 'U+200B' },
  ]);
});

it('leaves markup, line ends and emoji alone', () => {
  const text = '<b>not bold</b>\n\tTab & 👩🏽';
  expect(pieces(text)).toEqual([{ kind: 'text', text }]);
});

it('cuts long text only', () => {
  expect(isLong('short')).toBe(false);
  expect(isLong('1\n2\n3\n4\n5\n6')).toBe(true);
  expect(start('1\n2\n3\n4\n5\n6')).toBe('1\n2\n3\n4\n5…');
  expect(start('x'.repeat(1000)).length).toBeLessThan(500);
});
