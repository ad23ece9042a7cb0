// Another account: its store counts its versions from its own beginning, and windows follow.
import { beforeEach, expect, it, vi } from 'vitest';

import type { SessionView, Versions } from '../ipc/bindings';
import { answerFrom } from '../ipc/call';
import { FakeProgram } from '../ipc/fake-program';
import { Signals } from '../ipc/signals';
import { desk } from './desk.svelte';

let session: SessionView;
let versions: Versions;

beforeEach(async () => {
  const program = new FakeProgram({
    window: 'main',
    link: 'online',
    rows: 1,
    signedOut: false,
    full: false,
    trouble: null,
    empty: false,
  });
  session = (await program.answer('session_state')) as SessionView;
  versions = { cases: 500, outbox: 90, session: 1, link: 1 };
  answerFrom((command, args) => {
    if (command === 'session_state') return Promise.resolve(session);
    if (command === 'versions') return Promise.resolve({ ...versions });
    return program.answer(command, args);
  });
});

it('follows the versions of the account that is signed in', async () => {
  const signals = new Signals();
  const heard: string[] = [];
  signals.on(['cases', 'outbox'], (scope, version) => heard.push(`${scope} ${version}`));
  const stop = await desk.start(signals);
  await signals.compare();
  expect(heard).toEqual(['cases 500', 'outbox 90']);

  // The same account again: nothing starts over.
  await desk.refresh();
  await signals.compare();
  expect(heard).toHaveLength(2);

  session = { ...session, account: { ...session.account!, actor_id: '0197f3c2-5a10-7000-8000-0000000000ff' } };
  versions = { cases: 3, outbox: 2, session: 2, link: 1 };
  signals.receive({ scope: 'session', version: 2 });
  await vi.waitFor(() => expect(heard.slice(2)).toEqual(['cases 3', 'outbox 2']));
  stop();
});
