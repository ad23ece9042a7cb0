// One case as a pane or window holds it: read, and read again whenever something changed.
import { commands, type CaseDetail } from '../../ipc/bindings';
import { Refresher, signals } from '../../ipc/signals';
import { ReceivedMarks } from '../../shared/delivery/received.svelte';
import { justReceived } from './pending';

export type Reading = 'loading' | 'ready' | 'gone' | 'failed';

export class OpenCase {
  readonly id: string;
  detail = $state.raw<CaseDetail | null>(null);
  reading = $state<Reading>('loading');
  failure = $state<string | null>(null);
  readonly received = new ReceivedMarks();
  #refresher = new Refresher(() => this.#read());

  constructor(id: string) {
    this.id = id;
  }

  start(): () => void {
    this.refresh();
    return signals.on(['cases', 'outbox', 'link'], () => this.refresh());
  }

  refresh(): void {
    void this.#refresher.trigger();
  }

  async #read(): Promise<void> {
    try {
      const next = await commands.caseDetail({ id: this.id });
      if (next) this.received.show(justReceived(this.detail, next));
      this.detail = next;
      this.reading = next ? 'ready' : 'gone';
      this.failure = null;
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      if (!this.detail) this.reading = 'failed';
    }
  }
}
