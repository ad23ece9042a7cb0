// What is offered for a refused change.
import { expect, it } from 'vitest';

import { aChange } from '../examples';
import { actions } from './action';

it('offers to edit what was refused on a case, not a case that was refused itself', () => {
  const refused = {
    mark: 'refused',
    state: 'rejected',
    reason: { kind: 'rule', reason: 'external-id-taken' },
  } as const;
  expect(actions(aChange({ ...refused, operation: 'case.edit' }))).toEqual(['edit_again', 'copy_text', 'discard']);
  expect(actions(aChange({ ...refused, operation: 'case.create' }))).toEqual(['copy_text', 'discard']);
});
