// The history of a change as steps a person reads; what only the machinery cares about is left out.
import type { HistoryEntry } from '../../ipc/bindings';
import type { IconName } from '../../shared/icons';
import { historyStep } from '../../shared/words/history';

export type Step = { key: string; atMs: number; icon: IconName; tone: string; said: string };

const SIGNS: Record<HistoryEntry['to'], { icon: IconName; tone: string }> = {
  queued: { icon: 'saved', tone: '' },
  claimed: { icon: 'saved', tone: '' },
  sending: { icon: 'sending', tone: 'send' },
  retryable_failed: { icon: 'retry', tone: 'retry' },
  unknown: { icon: 'doubt', tone: 'doubt' },
  conflict: { icon: 'conflict', tone: 'conflict' },
  rejected: { icon: 'refused', tone: 'refused' },
  acked: { icon: 'received', tone: 'done' },
};

/** Oldest first. Being claimed is no news: the send that follows is. */
export function steps(history: readonly HistoryEntry[]): Step[] {
  return history.flatMap((entry, index) => {
    if (entry.to === 'claimed') return [];
    const before = history[index - 1];
    const seconds =
      before && before.to === 'sending' ? Math.max(0, Math.round((entry.at_ms - before.at_ms) / 1000)) : null;
    const asked = entry.from === 'unknown' && entry.to === 'unknown';
    const sign = asked ? { icon: 'retry' as const, tone: '' } : SIGNS[entry.to];
    return [{ key: `${index}`, atMs: entry.at_ms, ...sign, said: historyStep(entry, seconds) }];
  });
}
