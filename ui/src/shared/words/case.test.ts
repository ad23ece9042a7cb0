// How cases are called.
import { expect, it } from 'vitest';

import { caseLabel } from './case';

it('names cases', () => {
  expect(caseLabel({ external_id: 'CE-1', number: '2026-000001' })).toBe('CE-1');
  expect(caseLabel({ external_id: null, number: '2026-000001' })).toBe('2026-000001');
  expect(caseLabel({})).toBe('New case');
});
