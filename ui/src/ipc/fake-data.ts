// The cases of the in-memory program: those of the pictures.
import type {
  Activity,
  ConflictView,
  HistoryEntry,
  Mark,
  Member,
  Operation,
  Priority,
  Reason,
  StateName,
  Status,
} from './bindings';

export const ME = '0197f3c2-5a10-7000-8000-000000000001';
const DANA = '0197f3c2-5a10-7000-8000-000000000002';
const PRIYA = '0197f3c2-5a10-7000-8000-000000000003';
const TOM = '0197f3c2-5a10-7000-8000-000000000004';
const LUIS = '0197f3c2-5a10-7000-8000-000000000005';

export const MEMBERS: Member[] = [
  { id: ME, username: 'mara.okafor', display_name: 'Mara Okafor', role: 'officer', disabled: false },
  { id: DANA, username: 'dana.ruiz', display_name: 'Dana Ruiz', role: 'officer', disabled: false },
  { id: PRIYA, username: 'priya.nair', display_name: 'Priya Nair', role: 'supervisor', disabled: false },
  { id: TOM, username: 'tom.becker', display_name: 'Tom Becker', role: 'officer', disabled: true },
  { id: LUIS, username: 'luis.tran', display_name: 'Luis Tran', role: 'officer', disabled: false },
];

/** A local time of the day the pictures show, or a day of that month: "14:31", "27 11:40". */
export function moment(text: string): string {
  const [day, time] = text.includes(' ') ? text.split(' ') : ['30', text];
  const [hours, minutes, seconds] = (time ?? '').split(':').map(Number);
  return new Date(2026, 10, Number(day), hours, minutes, seconds ?? 0).toISOString();
}

export type ExampleChange = {
  at: string;
  since?: string;
  operation: Operation;
  payload: object;
  from?: Status;
  state: StateName;
  mark: Mark;
  reason: Reason;
  attempt?: number;
  nextInSeconds?: number;
  history?: HistoryEntry[];
  conflict?: ConflictView;
};

export type Example = {
  id: string;
  label: string;
  title: string;
  address: string;
  status: Status;
  priority: Priority;
  due: string;
  listDue?: string;
  kind?: string;
  assignee?: string;
  district?: string;
  description?: string;
  latitude?: number;
  longitude?: number;
  tags?: string[];
  opened?: string;
  notes?: { id: string; text: string; at: string; by: string }[];
  timeline?: (Pick<Activity, 'operation' | 'payload' | 'created_at' | 'created_by'> & Partial<Activity>)[];
  changes?: ExampleChange[];
};

function id(place: number): string {
  return `0197f3c2-5a10-7000-8000-0000000001${String(place).padStart(2, '0')}`;
}

function note(place: number): string {
  return `0197f3c2-5a10-7000-8000-0000000002${String(place).padStart(2, '0')}`;
}

function ms(text: string): number {
  return Date.parse(moment(text));
}

const MINE_TEXT =
  'Carport of six steel posts set in concrete over the full width of the drive, roof of corrugated sheet, no setback from the street line. Owner says the contractor pulled a permit in Signal Hill, not here. Three vehicles parked on the lawn. Lights strung from the posts to the eaves with extension leads through a window. Neighbor at 5605 says the work was done over two weekends in October. Photographs taken from the sidewalk; no access to the rear yard. Asked the owner for the contractor’s name and for a copy of the permit.';
const THEIRS_TEXT = `See photo log harborcity.example/p/${'A'.repeat(80)}\u202e lights on timer. Carport of six steel posts. ${'Electrical work under the canopy is not listed on any permit of this address. '.repeat(180)}`;
const BASE_TEXT =
  'Carport of six steel posts over the full width of the drive, roof of corrugated sheet, no setback from the street line. Three vehicles parked on the lawn. Lights strung from the posts to the eaves with extension leads through a window. Neighbor at 5605 says the work was done over two weekends in October. Photographs taken from the sidewalk; no access to the rear yard. Owner was not at home at either visit; card left at the door with a request to call.';

const CONFLICT: ConflictView = {
  base: {},
  mine: {},
  theirs: {},
  fields: [
    {
      field: 'title',
      base: 'BUILT NEW CARPORT IN FRONT YARD AREA AND ILLEGAL PARKING X-MAS LIGHTS',
      mine: 'New carport in front yard without permit; parking on lawn',
      theirs: 'New carport in front yard; electrical work under canopy',
      moved: true,
    },
    { field: 'due_on', base: '2026-12-03', mine: '2026-12-11', theirs: '2026-12-07', moved: true },
    { field: 'description', base: BASE_TEXT, mine: MINE_TEXT, theirs: THEIRS_TEXT, moved: true },
  ],
  base_revision: 3,
  their_revision: 4,
  base_at: moment('29 16:40'),
  their_actor: DANA,
  their_at: moment('13:51'),
};

export const EXAMPLES: Example[] = [
  {
    id: id(1),
    label: 'CE-634310',
    title: 'DET BUILDING, FIRE DAMAGED, OPEN WIRING, ILLEGAL USE PAINT STORAGE ROOM',
    address: '4339 16th St',
    status: 'open',
    priority: 'urgent',
    due: '2026-11-27',
    district: '1',
    latitude: 33.788,
    longitude: -118.19,
    tags: ['electrical', 'fire'],
    opened: '2026-07-05T16:00:00.000Z',
    description: 'DET BUILDING, FIRE DAMAGED, OPEN WIRING, ILLEGAL USE PAINT STORAGE ROOM, DET FENCE BROKEN WOINDOWS',
    notes: [
      {
        id: note(1),
        text: 'Fire department report filed. Neighbor at 4341 reports people sleeping in the detached building.',
        at: moment('25 15:10'),
        by: LUIS,
      },
    ],
    timeline: [
      {
        operation: 'case.edit',
        payload: { changes: { priority: { from: 'high', to: 'urgent' } } },
        created_at: moment('11:52'),
        created_by: DANA,
      },
      {
        operation: 'tag.add',
        payload: { tag: 'electrical' },
        created_at: moment('27 11:40'),
        issued_at: moment('27 09:15'),
        created_by: ME,
      },
      { operation: 'note.add', payload: { note_id: note(1) }, created_at: moment('25 15:10'), created_by: LUIS },
      { operation: 'case.create', payload: {}, created_at: '2026-07-05T16:00:00.000Z', created_by: TOM },
    ],
    changes: [
      {
        at: '14:06:02',
        operation: 'case.transition',
        payload: { to: 'under_review', reason_code: 'evidence_complete' },
        from: 'open',
        state: 'unknown',
        mark: 'in_doubt',
        reason: { kind: 'ask_first' },
        attempt: 1,
        nextInSeconds: 112,
        history: [
          { at_ms: ms('14:06:02'), from: null, to: 'queued', event: 'accepted', attempt: 0, code: null },
          { at_ms: ms('14:06:03'), from: 'queued', to: 'claimed', event: 'claimed_by', attempt: 0, code: null },
          { at_ms: ms('14:06:03'), from: 'claimed', to: 'sending', event: 'send_marked', attempt: 1, code: null },
          {
            at_ms: ms('14:06:18'),
            from: 'sending',
            to: 'unknown',
            event: 'outcome_unknown',
            attempt: 1,
            code: 'timeout',
          },
          {
            at_ms: ms('14:07:20'),
            from: 'unknown',
            to: 'unknown',
            event: 'still_unknown',
            attempt: 1,
            code: 'processing',
          },
          { at_ms: ms('14:20:41'), from: 'unknown', to: 'unknown', event: 'still_unknown', attempt: 1, code: null },
        ],
      },
      {
        at: '14:30',
        operation: 'note.add',
        payload: {
          note_id: note(2),
          text: 'Owner’s contractor says the panel was pulled on Saturday. Asked for the permit number.',
        },
        state: 'queued',
        mark: 'saved_here',
        reason: { kind: 'next' },
      },
    ],
  },
  {
    id: id(2),
    label: 'CE-444702',
    title: 'Heaters do not work, garage access',
    address: '6975 1/2 Hermosa Ave',
    status: 'open',
    priority: 'high',
    due: '2026-12-04',
    listDue: '2026-11-30',
    district: '2',
    tags: ['heating', 'tenant report'],
    opened: '2026-10-04T16:00:00.000Z',
    notes: [
      {
        id: note(3),
        text: 'Tenant confirmed access for Monday after 13:00. Ask for the gas valve certificate.',
        at: moment('27 16:02'),
        by: DANA,
      },
    ],
    timeline: [
      { operation: 'note.add', payload: { note_id: note(3) }, created_at: moment('27 16:02'), created_by: DANA },
      { operation: 'case.assign', payload: { from: null, to: ME }, created_at: moment('27 09:40'), created_by: PRIYA },
      { operation: 'case.create', payload: {}, created_at: '2026-10-04T16:00:00.000Z', created_by: TOM },
    ],
    changes: [
      {
        at: '14:29',
        since: '14:32:04',
        operation: 'note.add',
        payload: {
          note_id: note(4),
          text: 'On site 13:10. Wall heaters in units 1 and 3 do not ignite; garage door blocked from inside. Owner present.',
        },
        state: 'sending',
        mark: 'sending',
        reason: { kind: 'awaiting_answer', sent_at: moment('14:32:04') },
        attempt: 1,
      },
      {
        at: '14:31',
        operation: 'case.edit',
        payload: { changes: { due_on: { from: '2026-12-04', to: '2026-12-11' } } },
        state: 'queued',
        mark: 'waiting',
        reason: { kind: 'after', command_id: '', operation: 'note.add', mark: 'sending' },
      },
    ],
  },
  {
    id: id(3),
    label: 'CE-154498',
    title: 'Non-working smoke detector and no CO alarm',
    address: '3157 Cedar Ave',
    status: 'open',
    priority: 'urgent',
    due: '2026-12-01',
  },
  {
    id: id(4),
    label: 'CE-392446',
    title: 'Leak on garage ceiling (water damage above)',
    address: '3157 Cedar Ave',
    status: 'pending_info',
    priority: 'high',
    due: '2026-12-02',
    changes: [
      {
        at: '13:20',
        since: '13:22',
        operation: 'note.add',
        payload: { note_id: note(5), text: 'Send notice of repair.' },
        state: 'rejected',
        mark: 'refused',
        reason: { kind: 'archived' },
        attempt: 1,
      },
    ],
  },
  {
    id: id(5),
    label: 'CE-858463',
    title: 'BUILT NEW CARPORT IN FRONT YARD AREA AND ILLEGAL PARKING X-MAS LIGHTS',
    address: '5603 16th St',
    status: 'under_review',
    priority: 'normal',
    due: '2026-12-03',
    changes: [
      {
        at: '13:44',
        since: '13:58',
        operation: 'case.edit',
        payload: {
          changes: {
            title: { from: CONFLICT.fields[0]!.base, to: CONFLICT.fields[0]!.mine },
            due_on: { from: '2026-12-03', to: '2026-12-11' },
            description: { from: BASE_TEXT, to: MINE_TEXT },
          },
        },
        state: 'conflict',
        mark: 'conflict',
        reason: { kind: 'conflict', fields: ['title', 'due_on', 'description'] },
        attempt: 1,
        conflict: CONFLICT,
      },
    ],
  },
  {
    id: id(6),
    label: 'CE-655397',
    title: 'Trash, debris, and overgrown vegetation',
    address: '4294 Conquista Ave',
    status: 'open',
    priority: 'low',
    due: '2026-12-03',
    tags: ['alley'],
    changes: [
      {
        at: '14:32',
        operation: 'tag.add',
        payload: { tag: 'alley' },
        state: 'queued',
        mark: 'saved_here',
        reason: { kind: 'next' },
      },
    ],
  },
  {
    id: id(7),
    label: 'CE-236560',
    title: 'DET FLOOR, WINDOW/DOOR SCREENS',
    address: '2408 Hill St',
    status: 'pending_info',
    priority: 'normal',
    due: '2026-12-04',
    changes: [
      {
        at: '13:02',
        operation: 'note.add',
        payload: { note_id: note(6), text: 'Screens replaced on the north side.' },
        state: 'retryable_failed',
        mark: 'will_retry',
        reason: { kind: 'server_busy' },
        attempt: 3,
        nextInSeconds: 24,
      },
    ],
  },
  {
    id: id(8),
    label: 'CE-159578',
    title: 'Unlicensed Gym & Unlicensed Personal Training',
    address: '3434 Long Beach Blvd',
    status: 'under_review',
    priority: 'normal',
    due: '2026-12-05',
  },
  {
    id: id(9),
    label: 'CE-657963',
    title: 'Deteriorated fence and peeling paint on eaves',
    address: '5969 7th St',
    status: 'open',
    priority: 'low',
    due: '2026-12-08',
    changes: [
      {
        at: '12:40',
        operation: 'tag.add',
        payload: { tag: 'paint' },
        state: 'retryable_failed',
        mark: 'will_retry',
        reason: { kind: 'connection_failed' },
        attempt: 4,
        nextInSeconds: 51,
      },
    ],
  },
  {
    id: id(10),
    label: 'CE-227553',
    title: 'Caulking around tub and provide GFCI outlets',
    address: '8707 Redondo Ave',
    status: 'open',
    priority: 'normal',
    due: '2026-12-09',
  },
  {
    id: id(11),
    label: 'CE-368883',
    title: 'Deteriorated window sill and loose handrail',
    address: '8775 6th St',
    status: 'draft',
    priority: 'high',
    due: '2026-12-10',
  },
  {
    id: id(12),
    label: 'CE-637335',
    title: 'Shipping Containers parked on unpermitted lot',
    address: '3851 Paramount Blvd',
    status: 'resolved',
    priority: 'low',
    due: '2026-12-11',
  },
  {
    id: id(13),
    label: 'CE-999796',
    title: 'GARAGE INSPECTION CERTIFICATE',
    address: '5035 Quincy Ave',
    status: 'open',
    priority: 'low',
    due: '2026-12-14',
    assignee: LUIS,
    changes: [
      {
        at: '11:20',
        since: '14:20',
        operation: 'note.add',
        payload: { note_id: note(7), text: 'Certificate sent by mail.' },
        state: 'retryable_failed',
        mark: 'no_longer_yours',
        reason: { kind: 'hidden' },
        attempt: 1,
      },
    ],
  },
  {
    id: id(14),
    label: 'CE-400396',
    title: 'DETER. EAVES AND DAMAGED VENT COVERS',
    address: '937 Magnolia Ave',
    status: 'open',
    priority: 'normal',
    due: '2026-12-15',
  },
];
