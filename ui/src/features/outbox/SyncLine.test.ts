import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import type { OutboxLine } from '../../ipc/bindings';
import { answers } from '../../ipc/testing';
import { desk } from '../../shared/desk.svelte';
import { aLine, aSession, aStatus, ME, NOW, todayAt } from '../../shared/examples';
import SyncLine from './SyncLine.svelte';

function show(line: OutboxLine, status = aStatus()) {
  desk.session = aSession();
  desk.sync = status;
  const props = {
    line,
    lines: [line],
    around: { now: NOW },
    selected: true,
    tabbable: true,
    onselect: vi.fn(),
    ondetails: vi.fn(),
    onshow: vi.fn(),
  };
  return { ...render(SyncLine, props), props };
}

it('tries now', async () => {
  const calls = answers({ outbox_retry: () => null });
  show(
    aLine({
      command_id: 'x',
      mark: 'will_retry',
      state: 'retryable_failed',
      reason: { kind: 'server_busy' },
      attempt: 3,
      next_attempt_at: todayAt(14, 32, 32),
    }),
  );
  expect(screen.getByTestId('sync-line-mark').textContent).toContain('Will retry');
  expect(screen.getByTestId('sync-line-sentence').textContent).toBe(
    'The server was busy and changed nothing. Tried 3 times.',
  );
  await fireEvent.click(screen.getByTestId('try-now'));
  expect(calls).toEqual([{ command: 'outbox_retry', args: { command_id: 'x' } }]);
});

it('asks the server about a change in doubt and says the answer', async () => {
  answers({ outbox_ask: () => 'not_seen' });
  show(aLine({ mark: 'in_doubt', state: 'unknown', reason: { kind: 'ask_first' } }, 'in_doubt'));
  await fireEvent.click(screen.getByTestId('ask-server'));
  expect((await screen.findByTestId('action-said')).textContent).toBe('The server does not have it. Sending again.');
});

it('does not ask while offline, and says why', () => {
  show(
    aLine({ mark: 'in_doubt', state: 'unknown', reason: { kind: 'ask_first' } }, 'in_doubt'),
    aStatus({ link: 'offline' }),
  );
  const button = screen.getByTestId<HTMLButtonElement>('ask-server');
  expect(button.disabled).toBe(true);
  expect(button.title).toBe('Needs a connection. You are offline.');
});

it('discards only after a question whose focus is on the safe answer', async () => {
  const calls = answers({ outbox_discard: () => ({ discarded: 1 }) });
  show(aLine({ command_id: 'x', mark: 'refused', state: 'rejected', reason: { kind: 'archived' } }, 'needs_you'));
  await fireEvent.click(screen.getByTestId('discard'));
  const dialog = screen.getByRole('alertdialog');
  expect(dialog.textContent).toContain('Discard this note?');
  expect(dialog.textContent).toContain('It is removed from this computer and never sent.');
  expect(dialog.textContent).toContain('On site.');
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('discard-keep')));
  expect(calls).toEqual([]);
  await fireEvent.keyDown(dialog, { key: 'Escape' });
  expect(screen.queryByRole('alertdialog')).toBeNull();
  await fireEvent.click(screen.getByTestId('discard'));
  await fireEvent.click(screen.getByTestId('discard-confirm'));
  expect(calls).toEqual([{ command: 'outbox_discard', args: { command_id: 'x' } }]);
});

it('opens the conflict window', async () => {
  const calls = answers({ open_conflict_window: () => null });
  show(
    aLine(
      { command_id: 'x', mark: 'conflict', state: 'conflict', reason: { kind: 'conflict', fields: ['title'] } },
      'needs_you',
    ),
  );
  await fireEvent.click(screen.getByTestId('resolve'));
  expect(calls).toEqual([{ command: 'open_conflict_window', args: { command_id: 'x' } }]);
});

it('shows a discarded change without the sign of a refusal', () => {
  const resolution = { kind: 'discarded', by: ME, at_ms: NOW } as const;
  show(aLine({ mark: 'refused', state: 'rejected', reason: { kind: 'archived' }, resolution }, 'discarded'));
  const mark = screen.getByTestId('sync-line-mark');
  expect(mark.textContent).toContain('Discarded by you');
  expect(mark.classList.contains('refused')).toBe(false);
});
