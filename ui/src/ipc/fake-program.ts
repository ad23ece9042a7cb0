// The in-memory program behind fake.ts: a list of cases, an outbox, and just enough behaviour to work with.
import { nowMs } from '../shared/clock';
import { uuidV7 } from '../shared/intent';
import { localDate } from '../shared/time';
import type {
  Activity,
  Case,
  CaseDetail,
  CasePage,
  CaseQuery,
  CaseRow,
  ConflictView,
  Due,
  DueGroup,
  HistoryEntry,
  Mark,
  Member,
  NoteView,
  Operation,
  OutboxDetail,
  OutboxGroup,
  OutboxLine,
  Pending,
  Reason,
  Saved,
  SessionView,
  Signal,
  StateName,
  Status,
  SyncStatus,
  Versions,
  ViewCounts,
} from './bindings';
import { EXAMPLES, MEMBERS, ME, moment, type Example } from './fake-data';

export type FakeOptions = {
  window: string;
  link: 'online' | 'offline';
  rows: number;
  signedOut: boolean;
  full: boolean;
  trouble: string | null;
  empty: boolean;
};

type Held = { base: Case | null; example: Example | null; notes: NoteView[]; timeline: Activity[] };

const NEXT: Record<Status, Status[]> = {
  draft: ['open', 'withdrawn'],
  open: ['under_review', 'withdrawn'],
  under_review: ['pending_info', 'resolved', 'withdrawn'],
  pending_info: ['under_review', 'withdrawn'],
  resolved: ['closed', 'withdrawn'],
  closed: ['reopened'],
  reopened: ['under_review', 'withdrawn'],
  withdrawn: [],
};

const PRESSING: Mark[] = [
  'saved_here',
  'waiting',
  'sending',
  'will_retry',
  'in_doubt',
  'no_longer_yours',
  'refused',
  'conflict',
];

export class FakeProgram {
  readonly #options: FakeOptions;
  #cases = new Map<string, Held>();
  #changes: Pending[] = [];
  #intents = new Map<string, Saved>();
  // Never lower than those of an earlier program: versions only rise, also across restarts.
  #versions = startVersions();
  #listeners = new Set<(signal: Signal) => void>();
  #session: SessionView;
  #paused = false;
  #received: OutboxLine[] = [];
  #discarded: OutboxLine[] = [];
  #histories = new Map<string, HistoryEntry[]>();
  #conflicts = new Map<string, ConflictView>();

  constructor(options: FakeOptions) {
    this.#options = options;
    this.#session = session(options);
    if (!options.empty) this.#fill();
  }

  listen(receive: (signal: Signal) => void): Promise<() => void> {
    this.#listeners.add(receive);
    return Promise.resolve(() => void this.#listeners.delete(receive));
  }

  async answer(command: string, wrapped?: Record<string, unknown>): Promise<unknown> {
    await new Promise((done) => setTimeout(done, 5));
    const args = (wrapped?.['args'] ?? {}) as never;
    const run = this.#commands[command];
    if (!run) throw { code: 'internal', message: `no command ${command}` };
    return structuredClone(run(args));
  }

  #raise(...scopes: (keyof Versions)[]): void {
    for (const scope of scopes) {
      this.#versions[scope] += 1;
      for (const receive of this.#listeners) receive({ scope, version: this.#versions[scope] });
    }
  }

  readonly #commands: Record<string, (args: never) => unknown> = {
    session_state: () => this.#session,
    probe_server: ({ server }: { server: string }) =>
      server.includes('nowhere') ? { found: false, problem: 'unreachable' } : { found: true, problem: null },
    sign_in: ({ password }: { password: string }) => {
      if (password === 'wrong') throw { code: 'invalid-credentials', message: 'no' };
      this.#session = session({ ...this.#options, signedOut: false });
      this.#raise('session');
      return this.#session;
    },
    sign_out: () => {
      this.#session = session({ ...this.#options, signedOut: true });
      this.#raise('session');
      return this.#session;
    },
    acknowledge_damage: () => {
      this.#session = {
        ...this.#session,
        trouble: this.#session.trouble.filter((one) => one.code !== 'store-damaged'),
      };
      this.#raise('session');
      return null;
    },
    sync_status: () => this.#status(),
    versions: () => this.#versions,
    sync_now: () => null,
    set_paused: ({ paused }: { paused: boolean }) => {
      this.#paused = paused;
      this.#raise('link');
      return null;
    },
    case_page: ({ query }: { query: CaseQuery }) => this.#page(query),
    case_detail: ({ id }: { id: string }) => this.#detail(id),
    view_counts: () => this.#counts(),
    members: (): Member[] => MEMBERS,
    case_create: ({ intent_id, fields, status }: { intent_id: string; fields: Partial<Case>; status: Status | null }) =>
      this.#create(intent_id, fields, status),
    case_edit: ({ intent_id, case_id, changes }: { intent_id: string; case_id: string; changes: unknown }) =>
      this.#save(intent_id, case_id, 'case.edit', { changes }),
    case_transition: ({ intent_id, case_id, to, reason_code, comment }: Record<string, string>) =>
      this.#save(intent_id!, case_id!, 'case.transition', { to, reason_code, comment }),
    case_assign: ({ intent_id, case_id, from, to }: Record<string, string>) =>
      this.#save(intent_id!, case_id!, 'case.assign', { from, to }),
    note_add: ({ intent_id, case_id, text }: Record<string, string>) =>
      this.#save(intent_id!, case_id!, 'note.add', { note_id: uuidV7(), text }),
    tag_add: ({ intent_id, case_id, tag }: Record<string, string>) =>
      this.#save(intent_id!, case_id!, 'tag.add', { tag }),
    tag_remove: ({ intent_id, case_id, tag }: Record<string, string>) =>
      this.#save(intent_id!, case_id!, 'tag.remove', { tag }),
    outbox_page: () => ({ lines: this.#lines(), version: this.#versions.outbox }),
    outbox_detail: ({ command_id }: { command_id: string }) => this.#outboxDetail(command_id),
    outbox_retry: ({ command_id }: { command_id: string }) => this.#receive(command_id),
    outbox_confirm: ({ command_id }: { command_id: string }) => this.#receive(command_id),
    outbox_retry_all: () => null,
    outbox_ask: ({ command_id }: { command_id: string }) => {
      this.#receive(command_id);
      return 'committed';
    },
    outbox_seal: () => 'no_answer',
    outbox_discard: ({ command_id }: { command_id: string }) => {
      const change = this.#take(command_id);
      if (!change) throw { code: 'not-found', message: 'no such change' };
      change.resolution = { kind: 'discarded', by: ME, at_ms: nowMs() };
      this.#discarded.unshift(this.#line(change, 'discarded'));
      this.#raise('outbox', 'cases');
      return { discarded: 1 };
    },
    outbox_resolve: ({ command_id }: { command_id: string }) => {
      const change = this.#take(command_id);
      if (!change) throw { code: 'not-found', message: 'no such change' };
      this.#raise('outbox', 'cases');
      return null;
    },
    open_case_window: () => null,
    open_sync_centre: () => null,
    open_conflict_window: () => null,
    window_kind: () => this.#window(),
    set_window_title: () => null,
  };

  #window() {
    const find = (label: string) => EXAMPLES.find((example) => example.label === label)!.id;
    const kind = this.#options.window;
    if (kind === 'case') return { kind, id: find('CE-634310') };
    if (kind === 'conflict') return { kind, command_id: [...this.#conflicts.keys()][0] };
    return { kind };
  }

  #fill(): void {
    EXAMPLES.forEach((example, place) => this.#addExample(example, place));
    for (let place = EXAMPLES.length; place < this.#options.rows; place += 1) {
      const example = EXAMPLES[(place % 14) + 0]!;
      const id = uuidV7(1_700_000_000_000 + place);
      const due = new Date(2026, 11, 16 + (place % 60), 12);
      this.#cases.set(id, {
        base: { ...caseOf(example), id, external_id: `CE-${500_000 + place}`, due_on: localDate(due), status: 'open' },
        example: null,
        notes: [],
        timeline: [],
      });
    }
  }

  #addExample(example: Example, place: number): void {
    this.#cases.set(example.id, {
      base: caseOf(example),
      example,
      notes: (example.notes ?? []).map((note) => ({
        note: {
          id: note.id,
          case_id: example.id,
          text: note.text,
          redacted: false,
          redaction_reason: null,
          revision: 1,
          created_at: note.at,
          created_by: note.by,
        },
        command_id: null,
        mark: null,
      })),
      timeline: (example.timeline ?? []).map((activity, at) => ({
        id: uuidV7(1_690_000_000_000 + place * 100 + at),
        case_id: example.id,
        revision: 1,
        from_status: null,
        issued_at: activity.created_at,
        ...activity,
      })),
    });
    for (const change of example.changes ?? []) {
      const at = moment(change.at);
      const pending: Pending = {
        command_id: uuidV7(new Date(at).getTime()),
        case_id: example.id,
        operation: change.operation,
        payload: change.payload,
        from_status: change.from ?? null,
        state: change.state,
        mark: change.mark,
        reason: change.reason,
        attempt: change.attempt ?? 0,
        next_attempt_at:
          change.nextInSeconds === undefined ? null : new Date(nowMs() + change.nextInSeconds * 1000).toISOString(),
        sent_at: lastSent(change.history),
        their_actor: change.conflict?.their_actor ?? null,
        their_at: change.conflict?.their_at ?? null,
        created_at: at,
        updated_at: moment(change.since ?? change.at),
        resolution: null,
      };
      if (this.#options.link === 'offline' && ['saved_here', 'sending', 'will_retry'].includes(pending.mark)) {
        Object.assign(pending, {
          mark: 'waiting',
          reason: { kind: 'offline' },
          state: 'queued',
          next_attempt_at: null,
        });
      }
      if (change.history) this.#histories.set(pending.command_id, change.history);
      if (change.conflict) this.#conflicts.set(pending.command_id, change.conflict);
      this.#changes.push(pending);
    }
  }

  #status(): SyncStatus {
    const open = this.#changes;
    const of = (group: OutboxGroup) => open.filter((change) => groupOf(change) === group).length;
    const by_state: Partial<Record<StateName, number>> = {};
    for (const change of open) by_state[change.state] = (by_state[change.state] ?? 0) + 1;
    const offline = this.#options.link === 'offline';
    return {
      link: this.#options.link,
      link_since: new Date(2026, 10, 30, offline ? 14 : 7, 18).toISOString(),
      last_answer_at: offline ? moment('14:18') : new Date(nowMs() - 8_000).toISOString(),
      last_pull_at: offline ? moment('14:18') : new Date(nowMs() - 8_000).toISOString(),
      paused: this.#paused,
      counts: {
        by_state,
        open: open.length,
        open_cases: new Set(open.map((change) => change.case_id)).size,
        waiting: of('waiting'),
        in_doubt: of('in_doubt'),
        needs_attention: of('needs_you'),
        received_today: 23 + this.#received.length,
      },
      first_sync: null,
    };
  }

  #lines(): OutboxLine[] {
    return [
      ...this.#changes.map((change) => this.#line(change, groupOf(change))),
      ...this.#received,
      ...this.#discarded,
    ];
  }

  #line(change: Pending, group: OutboxGroup): OutboxLine {
    const held = this.#cases.get(change.case_id)?.base;
    return { change, case_label: held?.external_id ?? held?.number ?? null, case_title: held?.title ?? '', group };
  }

  #take(command_id: string): Pending | undefined {
    const change = this.#changes.find((one) => one.command_id === command_id);
    this.#changes = this.#changes.filter((one) => one !== change);
    return change;
  }

  #receive(command_id: string): null {
    const change = this.#take(command_id);
    const held = change && this.#cases.get(change.case_id);
    if (!change || !held) return null;
    held.base = shown(held, [change]);
    const at = new Date(nowMs()).toISOString();
    held.timeline.unshift({
      id: change.command_id,
      case_id: change.case_id,
      operation: change.operation,
      payload: change.payload,
      from_status: change.from_status,
      issued_at: change.created_at,
      revision: 1,
      created_at: at,
      created_by: ME,
    });
    const payload = change.payload as { note_id?: string; text?: string };
    if (payload.note_id && payload.text) {
      const note = {
        id: payload.note_id,
        case_id: change.case_id,
        text: payload.text,
        redacted: false,
        redaction_reason: null,
        revision: 1,
        created_at: at,
        created_by: ME,
      };
      held.notes.unshift({ note, command_id: null, mark: null });
    }
    Object.assign(change, { state: 'acked', mark: 'received', reason: { kind: 'received' }, updated_at: at });
    this.#received.unshift(this.#line(change, 'received'));
    this.#raise('cases', 'outbox');
    return null;
  }

  #pendingOf(id: string): Pending[] {
    return this.#changes.filter((change) => change.case_id === id);
  }

  #detail(id: string): CaseDetail | null {
    const held = this.#cases.get(id);
    if (!held) return null;
    const pending = this.#pendingOf(id);
    const now = shown(held, pending);
    if (!now) return null;
    return {
      case: now,
      base: held.base,
      pending_fields: pendingFields(pending),
      notes: held.notes,
      tasks: [],
      time_entries: [],
      inspections: [],
      notices: [],
      timeline: held.timeline,
      pending,
      next_statuses: NEXT[now.status].map((to) => ({ to, allowed: !['closed', 'reopened'].includes(to) })),
      version: this.#versions.cases,
    };
  }

  #row(id: string, today: string): CaseRow | null {
    const held = this.#cases.get(id)!;
    const pending = this.#pendingOf(id);
    const now = shown(held, pending);
    if (!now) return null;
    const marks = pending.map((change) => change.mark).sort((a, b) => PRESSING.indexOf(b) - PRESSING.indexOf(a));
    return {
      id,
      number: now.number,
      external_id: now.external_id,
      title: now.title,
      address: now.address,
      kind: now.kind,
      status: now.status,
      priority: now.priority,
      due_on: held.example?.listDue ?? now.due_on,
      due: dueOf(held.example?.listDue ?? now.due_on, today),
      assignee_id: now.assignee_id,
      assignee_name: MEMBERS.find((member) => member.id === now.assignee_id)?.display_name ?? null,
      pending_fields: pendingFields(pending).filter(
        (field) => field !== 'status' || held.example?.label !== 'CE-634310',
      ),
      mark: marks[0] ?? null,
      next_attempt_at: pending.find((change) => change.mark === marks[0])?.next_attempt_at ?? null,
      open_changes: pending.length,
    };
  }

  #page(query: CaseQuery): CasePage {
    const words = (query.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [...this.#cases.keys()]
      .map((id) => this.#row(id, query.today))
      .filter((row): row is CaseRow => row !== null)
      .filter((row) => query.assignee.kind !== 'nobody' || row.assignee_id === null)
      .filter((row) => query.statuses.length === 0 || query.statuses.includes(row.status))
      .filter((row) => query.priorities.length === 0 || query.priorities.includes(row.priority))
      .filter((row) => query.kinds.length === 0 || query.kinds.includes(row.kind))
      .filter((row) => !query.has_changes || row.open_changes > 0)
      .filter(
        (row) =>
          !query.needs_you || (row.mark !== null && ['conflict', 'refused', 'no_longer_yours'].includes(row.mark)),
      )
      .filter((row) =>
        words.every((word) => `${row.title} ${row.external_id} ${row.address}`.toLowerCase().includes(word)),
      );
    const key = (row: CaseRow) =>
      ({
        due: row.due_on ?? '9999',
        title: row.title,
        number: row.external_id ?? '',
        status: row.status,
        priority: String(['low', 'normal', 'high', 'urgent'].indexOf(row.priority)),
        assignee: row.assignee_name ?? '',
      })[query.sort];
    rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
    if (query.descending) rows.reverse();
    const groups: DueGroup[] = [];
    if (query.sort === 'due') {
      for (const row of rows) {
        const last = groups[groups.length - 1];
        if (last?.due === row.due) last.count += 1;
        else groups.push({ due: row.due, count: 1 });
      }
    }
    return {
      rows: rows.slice(query.offset, query.offset + query.limit),
      offset: query.offset,
      total: rows.length,
      groups,
      version: this.#versions.cases,
    };
  }

  #counts(): ViewCounts {
    return this.#options.empty
      ? { mine: 0, unassigned: 12, due_soon: 0, all: 1666 }
      : { mine: this.#cases.size, unassigned: 12, due_soon: 9, all: 1666 };
  }

  #create(intent: string, fields: Partial<Case>, status: Status | null): Saved {
    const id = uuidV7();
    this.#cases.set(id, { base: null, example: null, notes: [], timeline: [] });
    return this.#save(intent, id, 'case.create', { ...fields, status: status ?? 'draft' });
  }

  #save(intent: string, case_id: string, operation: Operation, payload: object): Saved {
    if (this.#options.full) throw { code: 'storage-full', message: 'the disk is full' };
    const earlier = this.#intents.get(intent);
    if (earlier) return { ...earlier, already_saved: true };
    const at = new Date(nowMs()).toISOString();
    const change: Pending = {
      command_id: uuidV7(),
      case_id,
      operation,
      payload,
      from_status: operation === 'case.transition' ? (this.#detail(case_id)?.case.status ?? null) : null,
      state: 'queued',
      mark: this.#options.link === 'offline' ? 'waiting' : 'saved_here',
      reason: { kind: this.#options.link === 'offline' ? 'offline' : 'next' },
      attempt: 0,
      next_attempt_at: null,
      sent_at: null,
      their_actor: null,
      their_at: null,
      created_at: at,
      updated_at: at,
      resolution: null,
    };
    this.#changes.push(change);
    const saved: Saved = { case_id, command_id: change.command_id, operation, saved_at: at, already_saved: false };
    this.#intents.set(intent, saved);
    this.#raise('cases', 'outbox');
    if (this.#options.link === 'online') setTimeout(() => this.#receive(change.command_id), 2_500);
    return saved;
  }

  #outboxDetail(command_id: string): OutboxDetail | null {
    const line = this.#lines().find((one) => one.change.command_id === command_id);
    if (!line) return null;
    const { change } = line;
    const created = Date.parse(change.created_at);
    return {
      command_id,
      idempotency_key: command_id,
      operation: change.operation,
      target: { type: 'case', id: change.case_id },
      state: change.state,
      hold: null,
      attempt: change.attempt,
      next_attempt_at_ms: change.next_attempt_at ? Date.parse(change.next_attempt_at) : null,
      last_error: null,
      created_at_ms: created,
      updated_at_ms: Date.parse(change.updated_at),
      payload_hash: '',
      session_version: 1,
      blocked_by: null,
      resolution: change.resolution,
      payload: change.payload,
      history: this.#histories.get(command_id) ?? [
        { at_ms: created, from: null, to: 'queued', event: 'accepted', attempt: 0, code: null },
      ],
      conflict: this.#conflicts.get(command_id) ?? null,
      line,
    };
  }
}

function lastSent(history: readonly HistoryEntry[] = []): string | null {
  const sent = [...history].reverse().find((entry) => entry.to === 'sending');
  return sent ? new Date(sent.at_ms).toISOString() : null;
}

function startVersions(): Versions {
  const start = Date.now();
  return { cases: start, outbox: start, session: start, link: start };
}

function groupOf(change: Pending): OutboxGroup {
  if (change.mark === 'in_doubt') return 'in_doubt';
  return ['saved_here', 'waiting', 'sending', 'will_retry'].includes(change.mark) ? 'waiting' : 'needs_you';
}

function dueOf(due: string | null, today: string): Due {
  if (!due) return 'no_date';
  if (due < today) return 'overdue';
  if (due === today) return 'today';
  return due <= '2026-12-06' ? 'this_week' : 'later';
}

function pendingFields(changes: readonly Pending[]): string[] {
  return changes.flatMap((change) => {
    if (change.operation === 'case.edit') return Object.keys((change.payload as { changes: object }).changes);
    if (change.operation === 'case.transition') return ['status'];
    if (change.operation === 'case.assign') return ['assignee_id'];
    if (change.operation.startsWith('tag')) return ['tags'];
    return [];
  });
}

function shown(held: Held, changes: readonly Pending[]): Case | null {
  let now = held.base ? { ...held.base } : null;
  for (const change of changes) {
    const payload = change.payload as Record<string, never>;
    if (change.operation === 'case.create') {
      now = {
        ...emptyCase(change.case_id, change.created_at),
        ...(payload as Partial<Case>),
      };
    }
    if (!now) continue;
    if (change.operation === 'case.edit') {
      for (const [field, to] of Object.entries(payload['changes'] as unknown as Record<string, { to: unknown }>)) {
        (now as Record<string, unknown>)[field] = to.to;
      }
    }
    if (change.operation === 'case.transition') now.status = payload['to']!;
    if (change.operation === 'case.assign') now.assignee_id = payload['to'] ?? null;
    if (change.operation === 'tag.add') now.tags = [...new Set([...now.tags, payload['tag']!])].sort();
    if (change.operation === 'tag.remove') now.tags = now.tags.filter((tag) => tag !== payload['tag']);
  }
  return now;
}

function emptyCase(id: string, at: string): Case {
  return {
    id,
    number: null,
    title: '',
    kind: 'other',
    priority: 'normal',
    status: 'draft',
    description: null,
    address: null,
    district: null,
    latitude: null,
    longitude: null,
    due_on: null,
    external_id: null,
    assignee_id: ME,
    tags: [],
    archived: false,
    revision: 1,
    created_at: at,
    created_by: ME,
  };
}

function caseOf(example: Example): Case {
  return {
    ...emptyCase(example.id, example.opened ?? '2026-10-04T09:00:00.000Z'),
    external_id: example.label,
    title: example.title,
    address: example.address,
    kind: example.kind ?? 'code_enforcement',
    status: example.status,
    priority: example.priority,
    due_on: example.due,
    district: example.district ?? null,
    description: example.description ?? null,
    latitude: example.latitude ?? null,
    longitude: example.longitude ?? null,
    assignee_id: example.assignee ?? ME,
    tags: example.tags ?? [],
  };
}

function session(options: FakeOptions): SessionView {
  const remembered = { server: 'cases.harborcity.example', tenant: 'harbor-city', username: 'mara.okafor' };
  if (options.signedOut) return { phase: 'signed_out', account: null, vault: 'keychain', remembered, trouble: [] };
  const trouble: SessionView['trouble'] = [];
  if (options.trouble === 'store-damaged') trouble.push({ code: 'store-damaged', recovered: 10, lost: 1 });
  if (options.trouble === 'store-newer') trouble.push({ code: 'store-newer', written_by: '2.4', open: 11 });
  if (options.trouble === 'keychain-missing') trouble.push({ code: 'keychain-missing' });
  if (options.trouble === 'session-revoked') trouble.push({ code: 'session-revoked', open: 11 });
  return {
    phase:
      options.trouble === 'session-revoked'
        ? 'revoked'
        : options.trouble === 'sign-in'
          ? 'sign_in_needed'
          : 'signed_in',
    account: {
      server: remembered.server,
      tenant_id: '0197f3c2-5a10-7000-8000-0000000000f0',
      tenant_slug: remembered.tenant,
      tenant_name: 'Harbor City',
      actor_id: ME,
      username: remembered.username,
      display_name: 'Mara Okafor',
      role: 'officer',
      rights: ['case.create', 'case.edit', 'case.transition', 'case.assign', 'tag.add', 'tag.remove', 'note.add'],
    },
    vault: 'keychain',
    remembered,
    trouble,
  };
}

export type { Reason };
