import { expect, it } from 'vitest';

import { aLine, NOW, todayAt } from '../../shared/examples';
import { dependents } from '../../shared/delivery/dependents';
import { before, countOf, groupsOf, slots } from './groups';
import { steps } from './history';

const lines = [
  aLine({ command_id: '1', mark: 'conflict', created_at: todayAt(13, 0) }, 'needs_you'),
  aLine({ command_id: '2', mark: 'in_doubt', created_at: todayAt(13, 1) }, 'in_doubt'),
  aLine({ command_id: '3', created_at: todayAt(13, 2) }, 'waiting'),
  aLine({ command_id: '4', updated_at: todayAt(13, 40) }, 'received'),
  aLine({ command_id: '5' }, 'discarded'),
];

it('puts lines into the groups of a tab', () => {
  expect(groupsOf(lines, 'open').map((group) => group.group)).toEqual(['needs_you', 'in_doubt', 'waiting']);
  expect(countOf(lines, 'open')).toBe(3);
  expect(groupsOf(lines, 'received')[0]?.lines).toHaveLength(1);
  expect(groupsOf([], 'open')).toEqual([]);
});

it('counts what goes before a change of the same case', () => {
  expect(before(lines, lines[2]!)).toBe(2);
});

it('counts what was received by half hours', () => {
  const midnight = new Date(2026, 10, 30).getTime();
  const all = slots(lines, midnight, NOW);
  expect(all.find((slot) => slot.startMs === new Date(2026, 10, 30, 13, 30).getTime())?.received).toBe(1);
  expect(all.reduce((sum, slot) => sum + slot.received, 0)).toBe(1);
});

it('finds which later changes go with a discarded one', () => {
  const opened = aLine({ command_id: 'o', operation: 'case.create' }).change;
  const first = aLine({ command_id: 'a' }).change;
  const redaction = aLine({ command_id: 'r', operation: 'note.redact', payload: first.payload }).change;
  const second = aLine({
    command_id: 'b',
    reason: { kind: 'after', command_id: 'a', operation: 'note.add', mark: 'waiting' },
  }).change;
  const third = aLine({
    command_id: 'c',
    reason: { kind: 'after', command_id: 'b', operation: 'note.add', mark: 'waiting' },
  }).change;
  const other = aLine({ command_id: 'd', case_id: 'other' }).change;
  const all = [opened, first, redaction, second, third, other];
  expect(dependents(opened, all)).toBe(4);
  expect(dependents(first, all)).toBe(1);
  expect(dependents(third, [second, third, other])).toBe(0);
});

it('tells the history in words and leaves the machinery out', () => {
  const at = Date.parse(todayAt(14, 6, 2));
  const said = steps([
    { at_ms: at, from: null, to: 'queued', event: 'accepted', attempt: 0, code: null },
    { at_ms: at + 500, from: 'queued', to: 'claimed', event: 'claimed_by', attempt: 0, code: null },
    { at_ms: at + 1_000, from: 'claimed', to: 'sending', event: 'send_marked', attempt: 1, code: null },
    { at_ms: at + 16_000, from: 'sending', to: 'unknown', event: 'outcome_unknown', attempt: 1, code: 'timeout' },
  ]).map((step) => step.said);
  expect(said).toEqual(['Saved on this computer', 'Sent to the server', 'No answer after 15 seconds']);
});
