import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import { desk } from '../shared/desk.svelte';
import { aSession, aStatus } from '../shared/examples';
import Rail from './Rail.svelte';

it('takes the focus into the account menu, and closes it by Escape wherever the focus is', async () => {
  desk.session = aSession();
  desk.sync = aStatus();
  const nothing = vi.fn();
  render(Rail, { view: 'all', counts: null, onview: nothing, ongo: nothing, onsignout: nothing, onhelp: nothing });
  const button = screen.getByTestId('account-menu');
  await fireEvent.keyDown(window, { key: ',', ctrlKey: true });
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('theme')));
  await fireEvent.keyDown(screen.getByTestId('theme'), { key: 'Escape' });
  expect(screen.queryByTestId('theme')).toBeNull();
  expect(document.activeElement).toBe(button);
  await fireEvent.click(button);
  button.focus();
  await fireEvent.keyDown(button, { key: 'Escape' });
  expect(screen.queryByTestId('theme')).toBeNull();
});
