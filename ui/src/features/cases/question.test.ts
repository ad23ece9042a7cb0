import { expect, it } from 'vitest';

import { aRow, NOW } from '../../shared/examples';
import { chips, NO_FILTERS, rowName, sortedBy, toggled, toQuery, type Question } from './question';

const question: Question = { view: 'mine', text: ' hermosa ', filters: NO_FILTERS, sort: 'due', descending: false };

it('asks for a view', () => {
  expect(toQuery(question, NOW)).toMatchObject({
    text: 'hermosa',
    assignee: { kind: 'me' },
    today: '2026-11-30',
    due_by: null,
    statuses: [],
  });
  expect(toQuery({ ...question, view: 'unassigned', text: '' }, NOW)).toMatchObject({
    assignee: { kind: 'nobody' },
    text: null,
  });
  const soon = toQuery({ ...question, view: 'due_soon' }, NOW);
  expect(soon).toMatchObject({ assignee: { kind: 'me' }, due_by: '2026-12-07' });
  expect(soon.statuses).not.toContain('closed');
});

it('names filters and takes them off one by one', () => {
  const filters = { ...NO_FILTERS, statuses: ['open' as const, 'draft' as const], needs_you: true };
  expect(chips(filters).map((chip) => `${chip.name} ${chip.value}`)).toEqual([
    'Status Open, Draft',
    'Changes need you',
  ]);
  expect(chips(filters)[0]?.without).toEqual({ ...NO_FILTERS, needs_you: true });
  expect(toggled(['a', 'b'], 'a')).toEqual(['b']);
  expect(toggled(['b'], 'a')).toEqual(['b', 'a']);
});

it('turns the order around when a column is pressed again', () => {
  expect(sortedBy(question, 'title')).toMatchObject({ sort: 'title', descending: false });
  expect(sortedBy(question, 'due')).toMatchObject({ sort: 'due', descending: true });
});

it('names a row for those who hear it', () => {
  const row = aRow({
    external_id: 'CE-634310',
    title: 'DET BUILDING',
    address: '4339 16th St',
    status: 'under_review',
    priority: 'urgent',
    due_on: '2026-11-27',
    due: 'overdue',
    mark: 'in_doubt',
  });
  expect(rowName(row, NOW)).toBe(
    'CE-634310, DET BUILDING, 4339 16th St, Under review, urgent, due Nov 27, overdue, your change: in doubt',
  );
});
