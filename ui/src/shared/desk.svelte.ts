// What every window knows: who is signed in, the people, the connection, the counts, the time.
import { commands, type Member, type Role, type SessionView, type SyncStatus } from '../ipc/bindings';
import { Refresher, signals, type Signals } from '../ipc/signals';
import { voice } from './announce.svelte';
import { nowMs } from './clock';
import { midnightBefore } from './time';
import { OFFLINE_TITLE } from './words/connection';
import { announceNeeds, announceReceived } from './words/summary';

/** The banner waits this long: a short break is nobody's business. */
export const OFFLINE_AFTER_MS = 3_000;

/** Whether the offline banner stands, given since when this window has seen no connection. */
export function isBannerDue(offlineSinceMs: number | null, nowAtMs: number): boolean {
  return offlineSinceMs !== null && nowAtMs - offlineSinceMs >= OFFLINE_AFTER_MS;
}

class Desk {
  session = $state.raw<SessionView | null>(null);
  sync = $state.raw<SyncStatus | null>(null);
  members = $state.raw<Member[]>([]);
  now = $state(nowMs());
  offlineSinceMs = $state<number | null>(null);
  /** The first read of the session failed: nothing can be shown. */
  failed = $state.raw<string | null>(null);

  /** The time to the minute: what shows no seconds need not be drawn every second. */
  readonly minute = $derived(Math.floor(this.now / 60_000) * 60_000);
  readonly account = $derived(this.session?.account ?? null);
  readonly me = $derived(this.account?.actor_id ?? '');
  readonly role = $derived<Role>(this.account?.role ?? 'viewer');
  readonly online = $derived(this.sync?.link === 'online');
  readonly offline = $derived(this.sync?.link === 'offline');
  readonly paused = $derived(this.sync?.paused ?? false);
  readonly open = $derived(this.sync?.counts.open ?? 0);
  readonly banner = $derived(isBannerDue(this.offlineSinceMs, this.now));
  readonly mayWork = $derived(this.role !== 'viewer');

  #session = new Refresher(() => this.#readSession());
  #sync = new Refresher(() => this.#readSync());
  #members = new Refresher(() => this.#readMembers());
  #source: Signals = signals;
  #greeted = false;
  /** Whose cases and changes were shown last. */
  #shownOf: string | null = null;

  nameOf = (actorId: string): string => {
    if (actorId === this.me) return this.account?.display_name ?? 'You';
    return this.members.find((member) => member.id === actorId)?.display_name ?? 'Someone';
  };

  /** Starts to follow the program. Returns how to stop. */
  async start(source: Signals = signals): Promise<() => void> {
    this.#source = source;
    const stops = [
      source.on(['session'], () => this.refresh()),
      source.on(['outbox', 'link'], () => void this.#sync.trigger()),
      source.on(['cases'], () => void this.#members.trigger()),
    ];
    const timer = setInterval(() => (this.now = nowMs()), 1_000);
    await this.refresh();
    return () => {
      stops.forEach((stop) => stop());
      clearInterval(timer);
    };
  }

  async refresh(): Promise<void> {
    await this.#session.trigger();
    if (this.account) await Promise.all([this.#sync.trigger(), this.#members.trigger()]);
  }

  /** Reads the connection and the counts again. */
  recount(): Promise<void> {
    return this.#sync.trigger();
  }

  async #readSession(): Promise<void> {
    try {
      this.session = await commands.sessionState();
      this.failed = null;
      this.#noticeAccount();
    } catch (error) {
      if (!this.session) this.failed = error instanceof Error ? error.message : String(error);
    }
  }

  /** With another account nothing of the one before is shown or counted on. */
  #noticeAccount(): void {
    if (!this.account) return;
    const { server, tenant_id, actor_id } = this.account;
    const shownOf = `${server} ${tenant_id} ${actor_id}`;
    const before = this.#shownOf;
    this.#shownOf = shownOf;
    if (before === null || before === shownOf) return;
    this.sync = null;
    this.members = [];
    void this.#source.startOver().catch(() => undefined);
  }

  async #readSync(): Promise<void> {
    if (!this.account) return;
    try {
      const next = await commands.syncStatus({ since: midnightBefore(nowMs()) });
      this.#announce(this.sync, next);
      this.sync = next;
      this.now = nowMs();
      if (next.link !== 'offline') this.offlineSinceMs = null;
      else this.offlineSinceMs ??= this.#greeted ? nowMs() : nowMs() - OFFLINE_AFTER_MS;
      this.#greeted = true;
    } catch {
      // The last status stays; the next signal or comparison reads it again.
    }
  }

  #announce(before: SyncStatus | null, after: SyncStatus): void {
    if (!before) return;
    const received = after.counts.received_today - before.counts.received_today;
    if (received > 0) voice.say(announceReceived(received));
    const needs = after.counts.needs_attention - before.counts.needs_attention;
    if (needs > 0) voice.say(announceNeeds(needs));
    if (after.link === 'offline' && before.link !== 'offline') voice.say(OFFLINE_TITLE.replace('.', ''));
  }

  async #readMembers(): Promise<void> {
    if (!this.account) return;
    try {
      this.members = await commands.members();
    } catch {
      // Names stay as they were.
    }
  }
}

export const desk = new Desk();
