// axe over each screen. Contrast is computed from the tokens instead: no layout exists here.
import { render, screen } from '@testing-library/svelte';
import axe from 'axe-core';
import { beforeEach, expect, it, vi } from 'vitest';

import { answerFrom } from '../ipc/call';
import { FakeProgram, type FakeOptions } from '../ipc/fake-program';
import { desk } from '../shared/desk.svelte';
import { startClockAt } from '../shared/clock';
import { NOW } from '../shared/examples';
import App from './App.svelte';

function start(over: Partial<FakeOptions>) {
  startClockAt(NOW);
  const program = new FakeProgram({
    window: 'main',
    link: 'online',
    rows: 20,
    signedOut: false,
    full: false,
    trouble: null,
    empty: false,
    ...over,
  });
  answerFrom((command, args) => program.answer(command, args));
  render(App);
}

async function expectAccessible() {
  const { violations } = await axe.run(document.body, { rules: { 'color-contrast': { enabled: false } } });
  expect(
    violations.map(
      (violation) => `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
    ),
  ).toEqual([]);
}

beforeEach(() => {
  document.documentElement.lang = 'en';
  document.title = 'Onceover';
  desk.session = null;
  desk.sync = null;
});

it('the main window', async () => {
  start({});
  await screen.findAllByTestId('case-row');
  await screen.findByTestId('case-title');
  await expectAccessible();
});

it('the main window, offline, with trouble, editing', async () => {
  start({ link: 'offline', trouble: 'store-damaged' });
  (await screen.findByTestId('case-edit')).click();
  await screen.findByTestId('edit-title');
  await screen.findByTestId('offline-banner');
  await expectAccessible();
});

it('a new case', async () => {
  start({});
  (await screen.findByTestId('new-case')).click();
  await screen.findByTestId('new-case-dialog');
  await expectAccessible();
});

it('the case window', async () => {
  start({ window: 'case' });
  (await screen.findByTestId('status-change')).click();
  await screen.findByTestId('status-target');
  await expectAccessible();
});

it('the sync centre with details', async () => {
  start({ window: 'sync' });
  (await screen.findByTestId('details')).click();
  await screen.findByTestId('details-panel');
  await vi.waitFor(() => expect(screen.getByText('What happened')).toBeTruthy());
  await expectAccessible();
});

it('the conflict window', async () => {
  start({ window: 'conflict' });
  await screen.findByTestId('save-decision');
  await expectAccessible();
});

it('sign-in', async () => {
  start({ signedOut: true });
  await screen.findByTestId('signin-submit');
  await expectAccessible();
});

it('sign-out', async () => {
  start({});
  (await screen.findByTestId('account-menu')).click();
  (await screen.findByTestId('sign-out')).click();
  await screen.findByTestId('sign-out-dialog');
  await expectAccessible();
});
