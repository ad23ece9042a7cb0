// What stands around a line of the sync centre: the other lines, the time, people's names.
import type { OutboxLine } from '../../ipc/bindings';
import type { NameOf } from '../../shared/words/case';
import type { Around } from '../../shared/words/sentence';
import { before } from './groups';

export function aroundLine(line: OutboxLine, lines: readonly OutboxLine[], nameOf: NameOf, now: number): Around {
  return { now, nameOf, place: 'above', before: before(lines, line) };
}
