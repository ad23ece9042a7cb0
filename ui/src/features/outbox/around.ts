// What is known around each line beyond the line itself: who changed the case first, how many go before.
import { commands, type OutboxDetail, type OutboxLine } from '../../ipc/bindings';
import type { Around, NameOf } from '../../shared/words';
import { before } from './groups';

export type Known = Pick<Around, 'theirName' | 'theirAt' | 'sentAt'>;

export function knownOf(detail: OutboxDetail, nameOf: NameOf): Known {
  const sent = [...detail.history].reverse().find((entry) => entry.to === 'sending');
  return {
    theirName: detail.conflict?.their_actor ? nameOf(detail.conflict.their_actor) : null,
    theirAt: detail.conflict?.their_at ?? null,
    sentAt: sent?.at_ms ?? null,
  };
}

/** Reads what the sentences of conflicts and doubts need; they are few. */
export async function readKnown(lines: readonly OutboxLine[], nameOf: NameOf): Promise<Map<string, Known>> {
  const wanted = lines
    .filter(({ change }) => !change.resolution && (change.state === 'conflict' || change.state === 'unknown'))
    .slice(0, 50);
  const known = new Map<string, Known>();
  await Promise.all(
    wanted.map(async ({ change }) => {
      const detail = await commands.outboxDetail({ command_id: change.command_id }).catch(() => null);
      if (detail) known.set(change.command_id, knownOf(detail, nameOf));
    }),
  );
  return known;
}

export function aroundLine(
  line: OutboxLine,
  lines: readonly OutboxLine[],
  known: Known | undefined,
  now: number,
): Around {
  return { now, place: 'above', before: before(lines, line), ...known };
}
