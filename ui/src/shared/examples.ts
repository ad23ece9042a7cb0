// Examples for tests: a change, a case, a line, with what matters to the test put over them.
import type { Case, CaseDetail, CaseRow, OutboxLine, Pending, SessionView, SyncStatus } from '../ipc/bindings';

export const NOW = new Date(2026, 10, 30, 14, 32, 8).getTime();
export const ME = '0197f3c2-5a10-7000-8000-000000000001';
export const DANA = '0197f3c2-5a10-7000-8000-000000000002';

/** A local time of the day of `NOW`, as the program writes it. */
export function todayAt(hours: number, minutes: number, seconds = 0): string {
  return new Date(2026, 10, 30, hours, minutes, seconds).toISOString();
}

export function aChange(over: Partial<Pending> = {}): Pending {
  return {
    command_id: '019a0000-0000-7000-8000-000000000001',
    case_id: '019a0000-0000-7000-8000-0000000000c1',
    operation: 'note.add',
    payload: { note_id: '019a0000-0000-7000-8000-0000000000a1', text: 'On site.' },
    from_status: null,
    state: 'queued',
    mark: 'saved_here',
    reason: { kind: 'next' },
    attempt: 0,
    next_attempt_at: null,
    sent_at: null,
    their_actor: null,
    their_at: null,
    created_at: todayAt(14, 32),
    updated_at: todayAt(14, 32),
    resolution: null,
    ...over,
  };
}

export function aCase(over: Partial<Case> = {}): Case {
  return {
    id: '019a0000-0000-7000-8000-0000000000c1',
    number: '2026-000012',
    title: 'Heaters do not work',
    kind: 'complaint',
    priority: 'high',
    status: 'open',
    description: null,
    address: '6975 1/2 Hermosa Ave',
    district: '2',
    latitude: null,
    longitude: null,
    due_on: '2026-12-04',
    external_id: 'CE-444702',
    assignee_id: ME,
    tags: [],
    archived: false,
    revision: 3,
    created_at: '2026-10-04T16:00:00.000Z',
    created_by: DANA,
    ...over,
  };
}

export function aDetail(over: Partial<CaseDetail> = {}): CaseDetail {
  const held = over.case ?? aCase();
  return {
    case: held,
    base: held,
    pending_fields: [],
    notes: [],
    tasks: [],
    time_entries: [],
    inspections: [],
    notices: [],
    timeline: [],
    pending: [],
    next_statuses: [],
    version: 1,
    ...over,
  };
}

export function aRow(over: Partial<CaseRow> = {}): CaseRow {
  return {
    id: '019a0000-0000-7000-8000-0000000000c1',
    number: '2026-000012',
    external_id: 'CE-444702',
    title: 'Heaters do not work',
    address: '6975 1/2 Hermosa Ave',
    kind: 'complaint',
    status: 'open',
    priority: 'high',
    due_on: '2026-11-30',
    due: 'today',
    assignee_id: ME,
    assignee_name: 'Mara Okafor',
    pending_fields: [],
    mark: null,
    next_attempt_at: null,
    open_changes: 0,
    ...over,
  };
}

export function aLine(over: Partial<Pending> = {}, group: OutboxLine['group'] = 'waiting'): OutboxLine {
  return { change: aChange(over), case_label: 'CE-444702', case_title: 'Heaters do not work', group };
}

export function aStatus(over: Partial<SyncStatus> = {}): SyncStatus {
  return {
    link: 'online',
    link_since: todayAt(7, 0),
    last_answer_at: todayAt(14, 32, 0),
    last_pull_at: todayAt(14, 32, 0),
    paused: false,
    counts: { by_state: {}, open: 0, open_cases: 0, waiting: 0, in_doubt: 0, needs_attention: 0, received_today: 0 },
    first_sync: null,
    ...over,
  };
}

export function aSession(over: Partial<SessionView> = {}): SessionView {
  return {
    phase: 'signed_in',
    account: {
      server: 'cases.harborcity.example',
      tenant_id: '0197f3c2-5a10-7000-8000-0000000000f0',
      tenant_slug: 'harbor-city',
      tenant_name: 'Harbor City',
      actor_id: ME,
      username: 'mara.okafor',
      display_name: 'Mara Okafor',
      role: 'officer',
      rights: [],
    },
    vault: 'keychain',
    remembered: null,
    trouble: [],
    ...over,
  };
}
