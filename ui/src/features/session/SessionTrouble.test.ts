// A damaged store is said until a person looks at what could be read back, in the sync centre.
import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import { answerFrom } from '../../ipc/call';
import { desk } from '../../shared/desk.svelte';
import { FakeProgram } from '../../ipc/fake-program';
import SessionTrouble from './SessionTrouble.svelte';

async function start(failing: string | null) {
  const program = new FakeProgram({
    window: 'main',
    link: 'online',
    rows: 1,
    signedOut: false,
    full: false,
    trouble: 'store-damaged',
    empty: false,
  });
  const called: string[] = [];
  answerFrom((command, args) => {
    called.push(command);
    if (command === failing) return Promise.reject({ code: 'storage-full', message: 'the disk is full' });
    return program.answer(command, args);
  });
  await desk.refresh();
  render(SessionTrouble);
  await fireEvent.click(screen.getByTestId('look-at-damage'));
  return called;
}

it('opens the sync centre, then says that a person looked', async () => {
  const called = await start(null);
  await vi.waitFor(() => expect(screen.queryByTestId('look-at-damage')).toBeNull());
  const acts = called.filter((command) => ['open_sync_centre', 'acknowledge_damage'].includes(command));
  expect(acts).toEqual(['open_sync_centre', 'acknowledge_damage']);
});

it('stays while the program does not know it', async () => {
  const called = await start('acknowledge_damage');
  await vi.waitFor(() => expect(called).toContain('acknowledge_damage'));
  expect(screen.getByTestId('look-at-damage').textContent).toBe('Look at 11 changes');
});
