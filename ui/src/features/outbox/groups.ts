// The sync centre's groups and tabs, from the lines the program gives.
import type { OutboxGroup, OutboxLine } from '../../ipc/bindings';

export type Tab = 'open' | OutboxGroup;

export const TABS: readonly { tab: Tab; title: string }[] = [
  { tab: 'open', title: 'Open' },
  { tab: 'needs_you', title: 'Needs you' },
  { tab: 'in_doubt', title: 'In doubt' },
  { tab: 'waiting', title: 'Waiting' },
  { tab: 'received', title: 'Received today' },
  { tab: 'discarded', title: 'Discarded' },
];

export const GROUP_WORDS: Record<OutboxGroup, { title: string; note: string }> = {
  needs_you: { title: 'Needs you', note: 'Stay here until you decide' },
  in_doubt: { title: 'In doubt', note: 'The server may or may not have it' },
  waiting: { title: 'Waiting', note: 'Sent without your help' },
  received: { title: 'Received today', note: 'The server has these, once' },
  discarded: { title: 'Discarded', note: 'Decided by you' },
};

const OPEN: readonly OutboxGroup[] = ['needs_you', 'in_doubt', 'waiting'];

export type Group = { group: OutboxGroup; lines: OutboxLine[] };

/** The groups of a tab that have lines, in the order of the page. */
export function groupsOf(lines: readonly OutboxLine[], tab: Tab): Group[] {
  const wanted = tab === 'open' ? OPEN : [tab];
  return wanted
    .map((group) => ({ group, lines: lines.filter((line) => line.group === group) }))
    .filter(({ lines }) => lines.length > 0);
}

export function countOf(lines: readonly OutboxLine[], tab: Tab): number {
  return groupsOf(lines, tab).reduce((sum, { lines }) => sum + lines.length, 0);
}

/** How many open changes of the same case go before this one. */
export function before(lines: readonly OutboxLine[], line: OutboxLine): number {
  const open = lines.filter((other) => OPEN.includes(other.group) && other.change.case_id === line.change.case_id);
  const at = open.findIndex((other) => other.change.command_id === line.change.command_id);
  const earlier = open.filter((other) => other.change.created_at < line.change.created_at).length;
  return Math.max(1, at >= 0 ? earlier : 1);
}

/** Half-hours of today with how much was received in each: the graph and its table. */
export type Slot = { startMs: number; received: number };
export const SLOT_MS = 30 * 60_000;

export function slots(lines: readonly OutboxLine[], midnightMs: number, nowMs: number): Slot[] {
  const received = lines.filter((line) => line.group === 'received').map((line) => Date.parse(line.change.updated_at));
  const count = Math.floor((nowMs - midnightMs) / SLOT_MS) + 1;
  const all = Array.from({ length: count }, (_, place) => ({ startMs: midnightMs + place * SLOT_MS, received: 0 }));
  for (const at of received) {
    const slot = all[Math.floor((at - midnightMs) / SLOT_MS)];
    if (slot) slot.received += 1;
  }
  const first = all.findIndex((slot) => slot.received > 0);
  const start = first < 0 ? Math.max(0, all.length - 16) : Math.max(0, Math.min(first, all.length - 16));
  return all.slice(start);
}
