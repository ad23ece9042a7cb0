// What stands around a line of the sync centre: the other lines, the time, people's names.
import type { OutboxLine } from '../../ipc/bindings';
import type { Around, NameOf } from '../../shared/words';
import { before } from './groups';

export function aroundLine(line: OutboxLine, lines: readonly OutboxLine[], nameOf: NameOf, now: number): Around {
  return { now, nameOf, place: 'above', before: before(lines, line) };
}
