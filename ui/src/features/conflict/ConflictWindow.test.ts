import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import type { OutboxDetail } from '../../ipc/bindings';
import { signals } from '../../ipc/signals';
import { answers } from '../../ipc/testing';
import { desk } from '../../shared/desk.svelte';
import { aLine, aSession, DANA, todayAt } from '../../shared/examples';
import ConflictWindow from './ConflictWindow.svelte';

let version = 1_000;

function aConflict(due = '2026-12-07'): OutboxDetail {
  const line = aLine(
    {
      command_id: 'x',
      operation: 'case.edit',
      mark: 'conflict',
      state: 'conflict',
      reason: { kind: 'conflict', fields: ['title', 'due_on'] },
    },
    'needs_you',
  );
  return {
    command_id: 'x',
    idempotency_key: 'x',
    operation: 'case.edit',
    target: { type: 'case', id: 'c1' },
    state: 'conflict',
    hold: null,
    attempt: 1,
    next_attempt_at_ms: null,
    last_error: null,
    created_at_ms: 0,
    updated_at_ms: 0,
    payload_hash: '',
    session_version: 1,
    blocked_by: null,
    resolution: null,
    payload: {},
    history: [],
    line,
    conflict: {
      base: {},
      mine: {},
      theirs: {},
      fields: [
        { field: 'title', base: 'Carport', mine: 'New carport', theirs: 'Carport, no permit', moved: true },
        { field: 'due_on', base: '2026-12-03', mine: '2026-12-11', theirs: due, moved: true },
      ],
      base_revision: 3,
      their_revision: 4,
      base_at: todayAt(9, 40),
      their_actor: DANA,
      their_at: todayAt(13, 51),
    },
  };
}

async function show() {
  desk.session = aSession();
  desk.members = [{ id: DANA, username: 'dana', display_name: 'Dana Ruiz', role: 'officer', disabled: false }];
  render(ConflictWindow, { commandId: 'x', ontitle: vi.fn() });
  return screen.findByText('You and Dana Ruiz changed the same fields');
}

it('preselects nothing, names what is missing, and sends the decision', async () => {
  const calls = answers({ outbox_detail: () => aConflict(), outbox_resolve: () => null });
  await show();
  expect(screen.getByTestId('conflict-base').textContent).toBe('As you both saw it, today 09:40');
  expect(screen.getAllByRole<HTMLInputElement>('radio').filter((radio) => radio.checked)).toEqual([]);
  await fireEvent.click(screen.getByTestId('save-decision'));
  expect(screen.getByTestId('conflict-missing').textContent).toBe('Choose for Title and Due.');
  await fireEvent.click(screen.getByTestId('mine-title'));
  expect(screen.getByTestId('conflict-missing').textContent).toBe('Choose for Due.');
  await fireEvent.click(screen.getByTestId('theirs-due_on'));
  await fireEvent.click(screen.getByTestId('save-decision'));
  await vi.waitFor(() => expect(calls.some((call) => call.command === 'outbox_resolve')).toBe(true));
  expect(calls.find((call) => call.command === 'outbox_resolve')?.args).toEqual({
    command_id: 'x',
    decision: { kind: 'fields', values: { title: 'New carport', due_on: '2026-12-07' } },
  });
});

it('keeps the choices when the server moves meanwhile, and says so', async () => {
  let due = '2026-12-07';
  answers({ outbox_detail: () => aConflict(due) });
  await show();
  await fireEvent.click(screen.getByTestId('mine-title'));
  due = '2026-12-08';
  signals.receive({ scope: 'outbox', version: (version += 1) });
  expect((await screen.findByTestId('look-again')).textContent).toContain(
    'Dana changed Due again at 13:51. Look once more.',
  );
  expect(screen.getByTestId<HTMLInputElement>('mine-title').checked).toBe(true);
});

it('names the fields as radio groups and takes a typed text', async () => {
  answers({ outbox_detail: () => aConflict() });
  await show();
  expect(screen.getAllByRole('radiogroup').map((group) => group.getAttribute('aria-label'))).toEqual(['Title', 'Due']);
  await fireEvent.click(screen.getByTestId('type-title'));
  const typed = screen.getByTestId<HTMLTextAreaElement>('typed-title');
  expect(typed.value).toBe('New carport');
  await fireEvent.input(typed, { target: { value: '' } });
  expect(screen.getByText('Title may not be empty.')).toBeTruthy();
});

it('says "Keep Dana’s version" when everything is theirs', async () => {
  answers({ outbox_detail: () => aConflict() });
  await show();
  await fireEvent.click(screen.getByTestId('theirs-title'));
  await fireEvent.click(screen.getByTestId('theirs-due_on'));
  expect(screen.getByTestId('save-decision').textContent).toContain('Keep Dana’s version');
});

it('asks of a change that sets no field whether it is still meant', async () => {
  const conflict = aConflict();
  conflict.line.change = { ...conflict.line.change, operation: 'notice.issue', payload: { body: 'Clear it away' } };
  conflict.conflict!.fields = [{ field: 'status', base: 'open', mine: 'open', theirs: 'under_review', moved: true }];
  const calls = answers({ outbox_detail: () => conflict, outbox_resolve: () => null });
  desk.session = aSession();
  desk.members = [{ id: DANA, username: 'dana', display_name: 'Dana Ruiz', role: 'officer', disabled: false }];
  render(ConflictWindow, { commandId: 'x', ontitle: vi.fn() });
  await screen.findByText('Dana Ruiz changed the case before your notice arrived');
  expect(screen.getByTestId('moved-status').textContent).toMatch(/Status\s*Open\s*Under review/);
  expect(screen.queryAllByRole('radio')).toEqual([]);
  await fireEvent.click(screen.getByTestId('send-again'));
  await vi.waitFor(() => expect(calls.some((call) => call.command === 'outbox_resolve')).toBe(true));
  expect(calls.find((call) => call.command === 'outbox_resolve')?.args).toEqual({
    command_id: 'x',
    decision: { kind: 'keep', side: 'mine' },
  });
});
