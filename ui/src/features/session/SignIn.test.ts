import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import { answers } from '../../ipc/testing';
import { desk } from '../../shared/desk.svelte';
import { aLine, aSession, aStatus } from '../../shared/examples';
import SignIn from './SignIn.svelte';
import SignOutDialog from './SignOutDialog.svelte';

async function fill(name: string, value: string) {
  await fireEvent.input(screen.getByTestId(`signin-${name}`), { target: { value } });
}

it('says below the field why the sign-in did not work, and keeps what was typed', async () => {
  desk.session = aSession({ phase: 'signed_out', account: null });
  answers({
    probe_server: () => ({ found: true, problem: null }),
    sign_in: () => {
      throw { code: 'invalid-credentials', message: 'no' };
    },
  });
  render(SignIn, { ontitle: vi.fn() });
  for (const [name, value] of [
    ['server', 'cases.example'],
    ['tenant', 'harbor-city'],
    ['username', 'mara'],
    ['password', 'wrong'],
  ])
    await fill(name!, value!);
  await fireEvent.blur(screen.getByTestId('signin-server'));
  expect(await screen.findByText('Found')).toBeTruthy();
  await fireEvent.click(screen.getByTestId('signin-submit'));
  await vi.waitFor(() =>
    expect(screen.getByTestId('signin-error').textContent).toBe('Organization, user name or password is not right.'),
  );
  expect(screen.getByTestId<HTMLInputElement>('signin-username').value).toBe('mara');
});

it.each(['unreachable', 'not-our-server', 'tls', 'clock'])(
  'says below the server alone that it is %s',
  async (code) => {
    desk.session = aSession({ phase: 'signed_out', account: null });
    answers({
      probe_server: () => ({ found: true, problem: null }),
      sign_in: () => {
        throw { code, message: 'no' };
      },
    });
    render(SignIn, { ontitle: vi.fn() });
    for (const name of ['server', 'tenant', 'username', 'password']) await fill(name, 'cases.example');
    await fireEvent.click(screen.getByTestId('signin-submit'));
    await vi.waitFor(() => expect(screen.getByTestId('signin-error').dataset['code']).toBe(code));
    const said = screen.getByTestId('signin-error');
    expect(said.hidden).toBe(false);
    expect(said.id).toBe(screen.getByTestId('signin-server').getAttribute('aria-describedby'));
    expect(screen.getByTestId('signin-server').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByTestId('signin-password').getAttribute('aria-invalid')).toBeNull();
  },
);

it('starts with what was remembered, never with a password', () => {
  desk.session = aSession({
    phase: 'signed_out',
    account: null,
    remembered: { server: 'cases.example', tenant: 'harbor-city', username: 'mara' },
  });
  answers({ probe_server: () => ({ found: false, problem: 'unreachable' }) });
  render(SignIn, { ontitle: vi.fn() });
  expect(screen.getByTestId<HTMLInputElement>('signin-server').value).toBe('cases.example');
  expect(screen.getByTestId<HTMLInputElement>('signin-password').value).toBe('');
});

it('discards at sign-out only after the number was typed', async () => {
  desk.session = aSession();
  const { counts } = aStatus();
  desk.sync = aStatus({ link: 'offline', counts: { ...counts, open: 2, open_cases: 1, waiting: 1, in_doubt: 1 } });
  const calls = answers({
    sync_status: () => desk.sync,
    outbox_page: () => ({ lines: [aLine({}), aLine({ mark: 'in_doubt', state: 'unknown' }, 'in_doubt')], version: 1 }),
    sign_out: () => aSession({ phase: 'signed_out', account: null }),
  });
  render(SignOutDialog, { onclose: vi.fn() });
  expect((await screen.findByText('1 in doubt')).closest('[data-testid="sign-out-counts"]')?.textContent).toContain(
    '1 waiting',
  );
  await fireEvent.click(screen.getByTestId('sign-out-discard'));
  const go = screen.getByTestId<HTMLButtonElement>('sign-out-go');
  expect(go.textContent).toBe('Sign out and discard');
  expect(go.disabled).toBe(true);
  await fireEvent.input(screen.getByTestId('sign-out-number'), { target: { value: '2' } });
  expect(go.disabled).toBe(false);
  await fireEvent.click(go);
  await vi.waitFor(() =>
    expect(calls.find((call) => call.command === 'sign_out')?.args).toEqual({
      choice: { kind: 'discard', confirmed_count: 2 },
    }),
  );
});
