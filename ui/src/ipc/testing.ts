// Set up for every test file: no test reaches for a real program; each says what is answered.
import { configure } from '@testing-library/svelte';
import { beforeEach } from 'vitest';

import { startClockAt } from '../shared/clock';
import { NOW } from '../shared/examples';
import { answerFrom } from './call';
import { signalsFrom } from './window';

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 8_000 });

// The examples' times are of one day; whatever the day of the test run is, it is that one.
startClockAt(NOW);

type Answers = Record<string, (args: never) => unknown>;

export type Call = { command: string; args: Record<string, unknown> };

/** Answers calls from `table` and returns the list of calls as it grows. A thrown value rejects the call. */
export function answers(table: Answers): Call[] {
  const calls: Call[] = [];
  answerFrom(async (command, wrapped) => {
    const args = (wrapped?.['args'] ?? {}) as Record<string, unknown>;
    calls.push({ command, args });
    const answer = table[command];
    if (!answer) throw { code: 'internal', message: `this test does not answer ${command}` };
    return answer(args as never);
  });
  return calls;
}

beforeEach(() => {
  answers({});
  signalsFrom(() => Promise.resolve(() => undefined));
  window.localStorage.clear();
});
