// A received mark: "Received" for 1.2 s, then nothing. Shown only for what the outbox says was received.
import { SvelteSet } from 'svelte/reactivity';

export const RECEIVED_SHOWN_MS = 1_200;

/** The ids that had a mark before and have none now. */
export function unmarked(before: ReadonlyMap<string, boolean>, after: ReadonlyMap<string, boolean>): string[] {
  return [...before].filter(([id, marked]) => marked && after.get(id) === false).map(([id]) => id);
}

export class ReceivedMarks {
  #shown = new SvelteSet<string>();

  has(id: string): boolean {
    return this.#shown.has(id);
  }

  show(ids: readonly string[]): void {
    for (const id of ids) {
      this.#shown.add(id);
      setTimeout(() => this.#shown.delete(id), RECEIVED_SHOWN_MS);
    }
  }
}
