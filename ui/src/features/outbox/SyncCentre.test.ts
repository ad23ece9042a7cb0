import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import { answers } from '../../ipc/testing';
import { desk } from '../../shared/desk.svelte';
import { aLine, aSession, aStatus, NOW } from '../../shared/examples';
import SyncCentre from './SyncCentre.svelte';

it('says that there is no connection only until there is one', async () => {
  desk.session = aSession();
  desk.now = NOW;
  const { counts } = aStatus();
  desk.sync = aStatus({ link: 'offline', counts: { ...counts, open: 1, open_cases: 1, waiting: 1 } });
  answers({ outbox_page: () => ({ lines: [aLine()], version: 1 }), outbox_retry_all: () => null });
  render(SyncCentre, { ontitle: vi.fn() });
  await fireEvent.click(screen.getByTestId('try-all'));
  expect(await screen.findByText(/There is no connection yet/)).toBeTruthy();
  desk.sync = aStatus({ link: 'online' });
  await vi.waitFor(() => expect(screen.queryByText(/There is no connection yet/)).toBeNull());
});
