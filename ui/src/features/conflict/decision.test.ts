import { describe, expect, it } from 'vitest';

import type { ConflictView } from '../../ipc/bindings';
import { decisionOf, isAllTheirs, missing, movedSince, startText, type Choices } from './decision';
import { changedParts, cut } from './diff';

const conflict: ConflictView = {
  base: {},
  mine: {},
  theirs: {},
  fields: [
    { field: 'title', base: 'a', mine: 'b', theirs: 'c', moved: true },
    { field: 'due_on', base: '2026-12-03', mine: '2026-12-11', theirs: '2026-12-07', moved: true },
    { field: 'priority', base: 'low', mine: 'high', theirs: 'low', moved: false },
  ],
  base_revision: 3,
  their_revision: 4,
  base_at: null,
  their_actor: null,
  their_at: null,
};
const mine = { side: 'mine', text: '' } as const;
const theirs = { side: 'theirs', text: '' } as const;

describe('a decision', () => {
  it('needs a choice for every contested field, and no other', () => {
    expect(missing(conflict, {})).toEqual(['title', 'due_on']);
    expect(missing(conflict, { title: mine })).toEqual(['due_on']);
    expect(missing(conflict, { title: mine, due_on: theirs })).toEqual([]);
    expect(decisionOf(conflict, { title: mine })).toBeUndefined();
  });
  it('takes a typed text only if the field can hold it', () => {
    const typed = (text: string): Choices => ({ title: mine, due_on: { side: 'typed', text } });
    expect(missing(conflict, typed('soon'))).toEqual(['due_on']);
    expect(missing(conflict, typed('2026-12-09'))).toEqual([]);
  });
  it('is "keep mine" when every field is mine', () => {
    expect(decisionOf(conflict, { title: mine, due_on: mine })).toEqual({ kind: 'keep', side: 'mine' });
  });
  it('carries what only I changed when the rest is theirs', () => {
    expect(decisionOf(conflict, { title: theirs, due_on: theirs })).toEqual({
      kind: 'fields',
      values: { title: 'c', due_on: '2026-12-07', priority: 'high' },
    });
  });
  it('is "keep theirs" when nothing of mine remains', () => {
    const only = { ...conflict, fields: conflict.fields.slice(0, 2) };
    expect(decisionOf(only, { title: theirs, due_on: theirs })).toEqual({ kind: 'keep', side: 'theirs' });
    expect(isAllTheirs(only, { title: theirs, due_on: mine })).toBe(false);
  });
  it('names each value of a mixed choice', () => {
    const typed = { side: 'typed', text: 'd' } as const;
    expect(decisionOf(conflict, { title: typed, due_on: theirs })).toEqual({
      kind: 'fields',
      values: { title: 'd', due_on: '2026-12-07', priority: 'high' },
    });
  });
});

it('notices when the server moves meanwhile', () => {
  const after = {
    ...conflict,
    fields: conflict.fields.map((field) => (field.field === 'due_on' ? { ...field, theirs: '2026-12-08' } : field)),
  };
  expect(movedSince(conflict, after)).toEqual(['due_on']);
  expect(movedSince(conflict, conflict)).toEqual([]);
});

it('starts a typed text from either side or both', () => {
  const [title] = conflict.fields;
  expect(startText(title!, 'mine')).toBe('b');
  expect(startText(title!, 'theirs')).toBe('c');
  expect(startText(title!, 'both')).toBe('b\nc');
});

describe('differences', () => {
  const marked = (base: string, text: string) =>
    changedParts(base, text)
      .map((part) => (part.changed ? `[${part.text}]` : part.text))
      .join('');
  it('marks the words that are new', () => {
    expect(marked('Dec 3, 2026', 'Dec 11, 2026')).toBe('Dec [11], 2026');
    expect(marked('six posts over the drive', 'six posts set in concrete over the drive')).toBe(
      'six posts [set in concrete] over the drive',
    );
    expect(marked('same', 'same')).toBe('same');
    expect(marked('', 'all new')).toBe('[all new]');
  });
  it('keeps every character, also of very long texts', () => {
    const long = 'word '.repeat(5_000);
    expect(
      changedParts(long, `${long}end`)
        .map((part) => part.text)
        .join(''),
    ).toBe(`${long}end`);
  });
  it('cuts without losing marks', () => {
    expect(
      cut(
        [
          { text: 'abc', changed: false },
          { text: 'defgh', changed: true },
        ],
        6,
      ),
    ).toEqual([
      { text: 'abc', changed: false },
      { text: 'de…', changed: true },
    ]);
  });
});
