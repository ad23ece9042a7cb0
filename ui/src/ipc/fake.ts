// A program in memory, for `npm run dev` in a browser and for tests. It is never part of a build.
import { answerFrom } from './call';
import { FakeProgram } from './fake-program';
import { signalsFrom } from './window';
import { startClockAt } from '../shared/clock';

/** Reads what to show from the address: `?window=case&link=offline&theme=dark&rows=100000&form=edit`. */
export function installFake(address: string = window.location.search): FakeProgram {
  const wanted = new URLSearchParams(address);
  startClockAt(new Date(2026, 10, 30, 14, 32, 8).getTime());
  const theme = wanted.get('theme');
  if (theme) window.localStorage.setItem('onceover.theme', theme);
  const program = new FakeProgram({
    window: wanted.get('window') ?? 'main',
    link: wanted.get('link') === 'offline' ? 'offline' : 'online',
    rows: Number(wanted.get('rows') ?? 47),
    signedOut: wanted.has('signed-out'),
    full: wanted.has('full'),
    trouble: wanted.get('trouble'),
    empty: wanted.has('empty'),
  });
  answerFrom((command, args) => program.answer(command, args));
  signalsFrom((receive) => program.listen(receive));
  for (const selector of (wanted.get('press') ?? '').split(',').filter(Boolean))
    pressLater(selector, wanted.get('press')!.split(',').indexOf(selector));
  return program;
}

function pressLater(testid: string, place: number): void {
  setTimeout(() => document.querySelector<HTMLElement>(`[data-testid="${testid}"]`)?.click(), 900 + place * 250);
}
