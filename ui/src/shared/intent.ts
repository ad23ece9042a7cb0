// One intent, one id: made when a form opens, kept while it is tried again, renewed only after it was saved.
// The program saves an intent once, however often it is sent.
import type { IpcError } from '../ipc/call';
import { asIpcError } from '../ipc/call';
import type { Saved } from '../ipc/bindings';
import { nowMs } from './clock';

/** A UUIDv7 of the moment `ms`. */
export function uuidV7(ms: number = nowMs()): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let rest = Math.floor(ms);
  for (let place = 5; place >= 0; place -= 1) {
    bytes[place] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export type Outcome = { kind: 'saved'; saved: Saved } | { kind: 'failed'; error: IpcError };

export class Intent {
  #id: string;

  /** `kept` is the id of a draft from before: it may have been saved without this window hearing of it. */
  constructor(kept?: string | null) {
    this.#id = kept ?? uuidV7();
  }

  get id(): string {
    return this.#id;
  }

  async save(send: (intentId: string) => Promise<Saved>): Promise<Outcome> {
    const id = this.#id;
    try {
      const saved = await send(id);
      if (this.#id === id) this.#id = uuidV7();
      return { kind: 'saved', saved };
    } catch (error) {
      return { kind: 'failed', error: asIpcError(error) };
    }
  }
}
