// How changes are named, and how a decided one is spoken of.
import { expect, it } from 'vitest';

import { aChange, ME, NOW, todayAt } from '../examples';
import { changeTitle, resolutionWord } from './change';
import { sentence } from './sentence';

const nameOf = () => 'Dana Ruiz';

it('names changes', () => {
  const title = (over: Parameters<typeof aChange>[0]) => changeTitle(aChange(over), nameOf, NOW);
  expect(title({ operation: 'case.transition', payload: { to: 'under_review' }, from_status: 'open' })).toBe(
    'Status from Open to Under review',
  );
  expect(title({ operation: 'tag.add', payload: { tag: 'alley' } })).toBe('Tag “alley”');
  expect(
    title({ operation: 'case.edit', payload: { changes: { due_on: { from: '2026-12-04', to: '2026-12-11' } } } }),
  ).toBe('Due from Dec 4 to Dec 11');
  expect(title({ operation: 'case.edit', payload: { changes: { title: {}, due_on: {}, description: {} } } })).toBe(
    'Title, Due and Description',
  );
});

it('says how it was decided', () => {
  const discarded = aChange({ resolution: { kind: 'discarded', by: ME, at_ms: Date.parse(todayAt(14, 40)) } });
  expect(resolutionWord(discarded)).toBe('Discarded by you');
  expect(sentence(discarded, { now: NOW })).toBe('14:40, with what was shown then.');
  const replaced = aChange({ resolution: { kind: 'superseded', by: ME, at_ms: Date.parse(todayAt(14, 40)) } });
  expect(resolutionWord(replaced)).toBe('Replaced by your decision');
});
