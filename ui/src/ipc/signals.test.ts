// Signals may be lost, doubled or late: a window converges all the same.
import { afterEach, expect, it, vi } from 'vitest';

import type { Signal, Versions } from './bindings';
import { COMPARE_EVERY_MS, Refresher, Signals } from './signals';
import { signalsFrom } from './window';

function setUp(newest: Versions) {
  const signals = new Signals(() => Promise.resolve({ ...newest }));
  const heard: string[] = [];
  signals.on(['cases', 'outbox', 'session', 'link'], (scope, version) => heard.push(`${scope} ${version}`));
  return { signals, heard };
}

afterEach(() => vi.useRealTimers());

it('tells of a rise once, however often the signal comes', () => {
  const { signals, heard } = setUp({ cases: 0, outbox: 0, session: 0, link: 0 });
  signals.receive({ scope: 'cases', version: 2 });
  signals.receive({ scope: 'cases', version: 2 });
  expect(heard).toEqual(['cases 2']);
});

it('drops what comes late: versions never fall', () => {
  const { signals, heard } = setUp({ cases: 0, outbox: 0, session: 0, link: 0 });
  signals.receive({ scope: 'outbox', version: 5 });
  signals.receive({ scope: 'outbox', version: 4 });
  expect(heard).toEqual(['outbox 5']);
  expect(signals.known.outbox).toBe(5);
});

it('finds out by comparing what was lost', async () => {
  const { signals, heard } = setUp({ cases: 7, outbox: 3, session: 1, link: 0 });
  signals.receive({ scope: 'cases', version: 7 });
  await signals.compare();
  expect(heard).toEqual(['cases 7', 'outbox 3', 'session 1']);
  await signals.compare();
  expect(heard).toHaveLength(3);
});

it('starts over with another account: its lower versions are told, and what rises from there', async () => {
  const newest = { cases: 500, outbox: 90, session: 7, link: 3 };
  const { signals, heard } = setUp(newest);
  await signals.compare();
  Object.assign(newest, { cases: 3, outbox: 1, session: 8 });
  signals.receive({ scope: 'session', version: 8 });
  await signals.startOver();
  signals.receive({ scope: 'cases', version: 4 });
  expect(heard.slice(4)).toEqual(['session 8', 'cases 3', 'outbox 1', 'cases 4']);
  expect(signals.known).toEqual({ cases: 4, outbox: 1, session: 8, link: 3 });
});

it('compares when the session changed: what came with it was not told', async () => {
  const newest = { cases: 1, outbox: 1, session: 1, link: 1 };
  const { signals, heard } = setUp(newest);
  let receive: ((signal: Signal) => void) | undefined;
  signalsFrom((callback) => {
    receive = callback;
    return Promise.resolve(() => undefined);
  });
  const stop = await signals.start();
  await vi.waitFor(() => expect(heard).toContain('cases 1'));
  Object.assign(newest, { cases: 2, session: 2 });
  receive?.({ scope: 'session', version: 2 });
  await vi.waitFor(() => expect(heard).toContain('cases 2'));
  stop();
});

it('tells only those who asked for the scope, until they stop', () => {
  const { signals } = setUp({ cases: 0, outbox: 0, session: 0, link: 0 });
  const changed = vi.fn();
  const stop = signals.on(['link'], changed);
  signals.receive({ scope: 'cases', version: 1 });
  expect(changed).not.toHaveBeenCalled();
  signals.receive({ scope: 'link', version: 1 });
  stop();
  signals.receive({ scope: 'link', version: 2 });
  expect(changed).toHaveBeenCalledTimes(1);
});

it('compares on focus and every 30 seconds, and listens once', async () => {
  vi.useFakeTimers();
  const newest = { cases: 1, outbox: 1, session: 1, link: 1 };
  const { signals, heard } = setUp(newest);
  let receive: ((signal: Signal) => void) | undefined;
  const listen = vi.fn((callback: (signal: Signal) => void) => {
    receive = callback;
    return Promise.resolve(() => undefined);
  });
  signalsFrom(listen);
  const stop = await signals.start();
  await vi.advanceTimersByTimeAsync(0);
  newest.cases = 2;
  window.dispatchEvent(new Event('focus'));
  await vi.advanceTimersByTimeAsync(0);
  newest.cases = 3;
  await vi.advanceTimersByTimeAsync(COMPARE_EVERY_MS);
  receive?.({ scope: 'cases', version: 4 });
  stop();
  expect(listen).toHaveBeenCalledTimes(1);
  expect(heard.filter((line) => line.startsWith('cases'))).toEqual(['cases 1', 'cases 2', 'cases 3', 'cases 4']);
});

it('shows the newest data whatever the order: every trigger is followed by a read', async () => {
  let truth = 1;
  let shown = 0;
  const waiting: (() => void)[] = [];
  const refresher = new Refresher(async () => {
    const read = truth;
    await new Promise<void>((done) => waiting.push(done));
    shown = read;
  });
  const first = refresher.trigger();
  truth = 2;
  void refresher.trigger();
  truth = 3;
  void refresher.trigger();
  waiting.shift()!();
  await vi.waitFor(() => expect(waiting).toHaveLength(1));
  waiting.shift()!();
  await first;
  expect(shown).toBe(3);
});
