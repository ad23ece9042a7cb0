// "Something changed" made safe: a signal may be lost, doubled or late, and every window still converges,
// because versions only rise here and are compared with the program's on focus and every 30 s. Another account's
// store has versions of its own: with it, the count starts over.
import { commands, type Scope, type Signal, type Versions } from './bindings';
import { listenToChanges } from './window';

export const SCOPES: readonly Scope[] = ['cases', 'outbox', 'session', 'link'];
export const COMPARE_EVERY_MS = 30_000;

type Changed = (scope: Scope, version: number) => void;

export class Signals {
  #known: Versions = { cases: 0, outbox: 0, session: 0, link: 0 };
  #listeners = new Set<{ scopes: readonly Scope[]; changed: Changed }>();
  #readVersions: () => Promise<Versions>;

  constructor(readVersions: () => Promise<Versions> = commands.versions) {
    this.#readVersions = readVersions;
  }

  get known(): Readonly<Versions> {
    return this.#known;
  }

  /** Calls `changed` once for each rise of one of `scopes`. Returns how to stop. */
  on(scopes: readonly Scope[], changed: Changed): () => void {
    const listener = { scopes, changed };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A signal has arrived. One that is not newer than what is known says nothing new. */
  receive({ scope, version }: Signal): void {
    if (!SCOPES.includes(scope) || version <= this.#known[scope]) return;
    this.#known = { ...this.#known, [scope]: version };
    for (const listener of [...this.#listeners]) {
      if (listener.scopes.includes(scope)) listener.changed(scope, version);
    }
  }

  /** Another account's cases and changes are shown from now on; what was known says nothing about them. */
  async startOver(): Promise<void> {
    this.#known = { ...this.#known, cases: 0, outbox: 0 };
    await this.compare();
  }

  /** Asks for the newest versions: makes up for signals that never came. */
  async compare(): Promise<void> {
    const versions = await this.#readVersions();
    for (const scope of SCOPES) this.receive({ scope, version: versions[scope] });
  }

  /** Listens, once per window, and compares on focus and every 30 s. Returns how to stop. */
  async start(target: Window = window): Promise<() => void> {
    const compare = () => void this.compare().catch(() => undefined);
    // Without events the comparing alone still brings every change, later.
    const stopListening = await listenToChanges((signal) => {
      this.receive(signal);
      // What came together with a change of the session was not told for itself.
      if (signal.scope === 'session') compare();
    }).catch(() => () => undefined);
    target.addEventListener('focus', compare);
    const timer = target.setInterval(compare, COMPARE_EVERY_MS);
    compare();
    return () => {
      stopListening();
      target.removeEventListener('focus', compare);
      target.clearInterval(timer);
    };
  }
}

export const signals = new Signals();

/** Runs `load` again for every trigger that came while it ran, so that the last result is never older than the last trigger. */
export class Refresher {
  #running = false;
  #again = false;
  #load: () => Promise<void>;

  constructor(load: () => Promise<void>) {
    this.#load = load;
  }

  async trigger(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    try {
      do {
        this.#again = false;
        await this.#load();
      } while (this.#again);
    } finally {
      this.#running = false;
    }
  }
}
