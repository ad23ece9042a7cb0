import { expect, it } from 'vitest';

import type { Activity } from '../../ipc/bindings';
import { aCase, aChange, aDetail, DANA, ME, NOW, todayAt } from '../../shared/examples';
import { changeBehind, justReceived, mostPressing, openCount } from './pending';
import { firstStep, whyNoStep } from './steps';
import { entriesOf } from './timeline';

const nameOf = (id: string) => (id === ME ? 'Mara Okafor' : 'Dana Ruiz');

function anActivity(over: Partial<Activity> = {}): Activity {
  return {
    id: 'a1',
    case_id: 'c1',
    operation: 'note.add',
    payload: { note_id: 'n1' },
    from_status: null,
    issued_at: todayAt(11, 0),
    revision: 1,
    created_at: todayAt(11, 0, 20),
    created_by: DANA,
    ...over,
  };
}

it('puts what is on its way first, newest on top, then what the server has', () => {
  const detail = aDetail({
    pending: [
      aChange({ command_id: 'p1' }),
      aChange({ command_id: 'p2', operation: 'tag.add', payload: { tag: 'fire' } }),
    ],
    timeline: [anActivity({ id: 'a2' }), anActivity({ id: 'a1' })],
  });
  expect(entriesOf(detail, ME, nameOf, NOW).map((entry) => entry.id)).toEqual(['p2', 'p1', 'a2', 'a1']);
});

it('shows a change that both sides know once, as received', () => {
  const detail = aDetail({
    pending: [aChange({ command_id: 'a1', mark: 'received_saving_here', state: 'acked' })],
    timeline: [anActivity({ id: 'a1' })],
  });
  const entries = entriesOf(detail, ME, nameOf, NOW);
  expect(entries).toHaveLength(1);
  expect(entries[0]?.pending).toBeNull();
});

it('takes the text of a note from the note', () => {
  const note = {
    id: 'n1',
    case_id: 'c1',
    text: '<b>as typed</b>',
    redacted: false,
    redaction_reason: null,
    revision: 1,
    created_at: todayAt(11, 0),
    created_by: DANA,
  };
  const detail = aDetail({ timeline: [anActivity()], notes: [{ note, command_id: null, mark: null }] });
  expect(entriesOf(detail, ME, nameOf, NOW)[0]).toMatchObject({
    said: 'added a note',
    text: '<b>as typed</b>',
    receivedAt: null,
  });
});

it('says of a redacted note that it is, and shows nothing of it, also while it is on its way', () => {
  const note = {
    id: 'n1',
    case_id: 'c1',
    text: '',
    redacted: true,
    redaction_reason: 'a name',
    revision: 2,
    created_at: todayAt(11, 0),
    created_by: ME,
  };
  const pending = [
    aChange({ command_id: 'p1', payload: { note_id: 'n1', text: 'Mrs Lee' } }),
    aChange({ command_id: 'p2', operation: 'note.redact', payload: { note_id: 'n1', reason: 'a name' } }),
  ];
  const detail = aDetail({ pending, timeline: [], notes: [{ note, command_id: 'p2', mark: 'waiting' }] });
  const [redaction, added] = entriesOf(detail, ME, nameOf, NOW);
  expect(redaction).toMatchObject({ said: 'redacted a note', text: 'a name' });
  expect(added).toMatchObject({ said: 'added a note, redacted since (a name)', text: null });
});

it('says what was done with what belongs to a case, with the texts it holds', () => {
  const made = { case_id: 'c1', revision: 1, created_at: todayAt(11, 0), created_by: DANA };
  const held = { command_id: null, mark: null };
  const task = { id: 't1', title: 'Call the landlord', due_on: null, done: true, ...made };
  const inspection = {
    id: 'i1',
    kind: 'routine',
    inspected_on: '2026-11-30',
    outcome: 'fail' as const,
    findings: [{ text: 'Cracked pipe', severity: 'major' as const }],
    ...made,
  };
  const notice = { id: 'o1', kind: 'order', recipient: 'The owner', body: 'Clear it away', ...made };
  const entry = (operation: Activity['operation'], payload: unknown) => {
    const detail = aDetail({
      timeline: [anActivity({ operation, payload })],
      tasks: [{ task, ...held }],
      inspections: [{ inspection, ...held }],
      notices: [{ notice, ...held }],
    });
    const { said, text } = entriesOf(detail, ME, nameOf, NOW)[0]!;
    return [said, text];
  };
  expect(entry('task.add', { task_id: 't1', title: 'Call the landlord' })).toEqual([
    'added the task “Call the landlord”',
    null,
  ]);
  expect(entry('task.set_done', { task_id: 't1', done: true })).toEqual([
    'finished the task “Call the landlord”',
    null,
  ]);
  expect(entry('task.set_done', { task_id: 'gone', done: false })).toEqual(['opened a task again', null]);
  expect(entry('time.log', { entry_id: 'e1', minutes: 90, note: 'On site' })).toEqual(['logged 1 h 30 min', 'On site']);
  expect(entry('inspection.record', { inspection_id: 'i1', kind: 'routine', outcome: 'fail' })).toEqual([
    'recorded an inspection (routine): failed',
    'Major: Cracked pipe',
  ]);
  expect(entry('notice.issue', { notice_id: 'o1', kind: 'order' })).toEqual([
    'issued a notice (order) to The owner',
    'Clear it away',
  ]);
  expect(entry('case.archive', { reason: 'settled' })).toEqual(['archived the case', 'settled']);
  expect(entry('case.restore', { reason: 'not settled' })).toEqual(['restored the case', 'not settled']);
});

it('says both times when they are more than a minute apart', () => {
  const detail = aDetail({ timeline: [anActivity({ issued_at: todayAt(9, 15), created_at: todayAt(11, 40) })] });
  expect(entriesOf(detail, ME, nameOf, NOW)[0]).toMatchObject({ at: todayAt(9, 15), receivedAt: todayAt(11, 40) });
});

it('says what was done', () => {
  const said = (over: Partial<Activity>) =>
    entriesOf(aDetail({ timeline: [anActivity(over)] }), ME, nameOf, NOW)[0]?.said;
  expect(said({ operation: 'case.create', payload: {} })).toBe('opened the case');
  expect(said({ operation: 'case.transition', payload: { to: 'under_review' }, from_status: 'open' })).toBe(
    'moved the case from Open to Under review',
  );
  expect(said({ operation: 'case.assign', payload: { to: ME } })).toBe('assigned the case to you');
  expect(said({ operation: 'case.assign', payload: { to: null } })).toBe('took the case from its assignee');
  expect(
    said({ operation: 'case.edit', payload: { changes: { due_on: { from: '2026-12-04', to: '2026-12-11' } } } }),
  ).toBe('changed Due from Dec 4 to Dec 11');
  expect(said({ operation: 'case.edit', payload: { changes: { title: { to: 'x' }, description: { to: 'y' } } } })).toBe(
    'changed Title and Description',
  );
});

it('finds the change behind a shown value and the most pressing one', () => {
  const edit = aChange({
    command_id: 'p1',
    operation: 'case.edit',
    payload: { changes: { due_on: { from: null, to: '2026-12-11' } } },
    mark: 'conflict',
  });
  const later = aChange({ command_id: 'p2', operation: 'tag.add', payload: { tag: 'x' }, mark: 'in_doubt' });
  const detail = aDetail({ pending: [edit, later], pending_fields: ['due_on', 'tags'] });
  expect(changeBehind(detail, 'due_on')?.command_id).toBe('p1');
  expect(changeBehind(detail, 'title')).toBeUndefined();
  expect(mostPressing(detail.pending)?.command_id).toBe('p1');
  expect(openCount(detail)).toBe(2);
});

it('calls received only what the timeline has, not what was discarded', () => {
  const before = aDetail({ pending: [aChange({ command_id: 'a1' }), aChange({ command_id: 'gone' })] });
  const after = aDetail({ timeline: [anActivity({ id: 'a1' })] });
  expect(justReceived(before, after)).toEqual(['a1']);
  expect(justReceived(null, after)).toEqual([]);
});

it('offers the next step by name, never withdrawing', () => {
  const step = (next_statuses: Parameters<typeof aDetail>[0]) => firstStep(aDetail(next_statuses));
  expect(
    step({
      next_statuses: [
        { to: 'withdrawn', allowed: true },
        { to: 'under_review', allowed: true },
      ],
    }),
  ).toBe('under_review');
  expect(
    step({
      next_statuses: [
        { to: 'closed', allowed: false },
        { to: 'withdrawn', allowed: true },
      ],
    }),
  ).toBeUndefined();
  expect(
    whyNoStep(aDetail({ case: aCase({ status: 'closed' }), next_statuses: [{ to: 'reopened', allowed: false }] })),
  ).toBe('The next step needs a supervisor.');
  expect(whyNoStep(aDetail({ next_statuses: [] }))).toBe('This status has no further step.');
});
