import { expect, it } from 'vitest';

import { aCase } from './examples';
import { changedFields, createdFields, fieldValue, formOf, problem, problems } from './fields';

it('says what a field cannot hold', () => {
  expect(problem('title', '')).toBe('Title may not be empty.');
  expect(problem('kind', 'No Slug')).toContain('a–z');
  expect(problem('due_on', '2026-02-30')).toContain('date');
  expect(problem('due_on', '2026-12-11')).toBeUndefined();
  expect(problem('latitude', '91')).toContain('−90');
  expect(problem('latitude', 'north')).toContain('number');
  expect(problem('description', '')).toBeUndefined();
  expect(problems({ title: 'x', kind: 'other', priority: 'low' }, ['title', 'kind', 'priority'])).toEqual({});
});

it('sends what changed, with what was seen', () => {
  const from = formOf(aCase());
  expect(changedFields(from, { ...from })).toEqual({});
  expect(changedFields(from, { ...from, due_on: '2026-12-11', district: '', latitude: '33.5' })).toEqual({
    due_on: { from: '2026-12-04', to: '2026-12-11' },
    district: { from: '2', to: null },
    latitude: { from: null, to: 33.5 },
  });
});

it('keeps text byte for byte and empty as nothing', () => {
  expect(fieldValue('title', ' a ')).toBe(' a ');
  expect(fieldValue('address', '')).toBeNull();
  expect(createdFields({ title: 'x', address: '', longitude: '-118.2' })).toEqual({ title: 'x', longitude: -118.2 });
});
