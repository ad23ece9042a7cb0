// Signing out with changes that are not received: what there is of each state, and what may be chosen.
import type { Counts, Mark, OutboxLine } from '../../ipc/bindings';
import { MARK_WORDS } from '../../shared/words/mark';
import { number } from '../../shared/words/phrases';

export type Choice = 'send' | 'keep' | 'discard';
export type StateCount = { mark: Mark; count: number; words: string };

const GOES_BY_ITSELF: readonly Mark[] = ['saved_here', 'waiting', 'sending', 'will_retry'];
const ORDER = Object.keys(MARK_WORDS) as Mark[];
const PLURAL: Partial<Record<Mark, [string, string]>> = {
  conflict: ['conflict', 'conflicts'],
};

/** Every state of the open changes with its count; what goes by itself is one: waiting. */
export function stateCounts(lines: readonly OutboxLine[]): StateCount[] {
  const counts = new Map<Mark, number>();
  for (const { change } of lines) {
    if (change.resolution || change.state === 'acked') continue;
    const mark = GOES_BY_ITSELF.includes(change.mark) ? 'waiting' : change.mark;
    counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b))
    .map(([mark, count]) => {
      const word = PLURAL[mark]?.[count === 1 ? 0 : 1] ?? MARK_WORDS[mark].toLowerCase();
      return { mark, count, words: `${number(count)} ${word}` };
    });
}

/** The choices, the first one preselected. "Send first" only where something can go now. */
export function choices(counts: Counts, online: boolean): Choice[] {
  return online && counts.waiting > 0 ? ['send', 'keep', 'discard'] : ['keep', 'discard'];
}

/** Whether the typed number confirms discarding `open` changes. */
export function isConfirmed(typed: string, open: number): boolean {
  return typed.trim() === String(open);
}
