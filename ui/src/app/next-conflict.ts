// "G C": the next conflict, in a window of its own.
import { commands } from '../ipc/bindings';
import { nowMs } from '../shared/clock';
import { midnightBefore } from '../shared/time';

export async function nextConflict(): Promise<void> {
  const { lines } = await commands.outboxPage({ since: midnightBefore(nowMs()) });
  const line = lines.find(({ change }) => change.mark === 'conflict' && !change.resolution);
  if (line) await commands.openConflictWindow({ command_id: line.change.command_id });
}
