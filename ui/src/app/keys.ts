// The keys of this interface, as "?" and the palette list them.
export type KeyLine = { keys: string[]; what: string };
export type KeyGroup = { title: string; lines: KeyLine[] };

export const KEY_GROUPS: readonly KeyGroup[] = [
  {
    title: 'Everywhere',
    lines: [
      { keys: ['Ctrl K'], what: 'Go to or do' },
      { keys: ['?'], what: 'These keys' },
      { keys: ['/'], what: 'Search' },
      { keys: ['Esc'], what: 'Back, close, leave a field' },
      { keys: ['F6', 'Shift F6'], what: 'Next, previous pane' },
      { keys: ['C'], what: 'New case' },
      { keys: ['Ctrl ,'], what: 'Theme, sign-out' },
      { keys: ['Ctrl W'], what: 'Close the window' },
    ],
  },
  {
    title: 'List',
    lines: [
      { keys: ['J', 'K'], what: 'Next, previous case; arrows too' },
      { keys: ['Home', 'End'], what: 'First, last case' },
      { keys: ['PgUp', 'PgDn'], what: 'A page up, down' },
      { keys: ['Enter'], what: 'Into the case' },
      { keys: ['Ctrl Enter'], what: 'Own window' },
      { keys: ['F'], what: 'Filter' },
    ],
  },
  {
    title: 'Case',
    lines: [
      { keys: ['E'], what: 'Edit' },
      { keys: ['N'], what: 'Note' },
      { keys: ['T'], what: 'Status' },
      { keys: ['A'], what: 'Assign' },
      { keys: ['#'], what: 'Tag' },
      { keys: ['1', '2', '3'], what: 'Tabs of a case window' },
      { keys: ['[', ']'], what: 'Previous, next case' },
      { keys: ['Ctrl Enter'], what: 'Save what is written' },
    ],
  },
  {
    title: 'Go to: G, then',
    lines: [
      { keys: ['M'], what: 'My cases' },
      { keys: ['U'], what: 'Unassigned' },
      { keys: ['D'], what: 'Due soon' },
      { keys: ['A'], what: 'All cases' },
      { keys: ['S'], what: 'Sync centre' },
      { keys: ['C'], what: 'Next conflict' },
    ],
  },
  {
    title: 'Sync centre',
    lines: [
      { keys: ['J', 'K'], what: 'Next, previous change' },
      { keys: ['Enter'], what: 'Details or Resolve' },
      { keys: ['R', 'Shift R'], what: 'Try now, try all now' },
      { keys: ['Q'], what: 'Ask the server' },
      { keys: ['P'], what: 'Pause, resume' },
      { keys: ['Del'], what: 'Discard…' },
    ],
  },
  {
    title: 'Conflict',
    lines: [
      { keys: ['↑', '↓'], what: 'Previous, next field' },
      { keys: ['1', '2', '3'], what: 'Mine, theirs, type' },
      { keys: ['Ctrl Enter'], what: 'Save decision' },
    ],
  },
];
