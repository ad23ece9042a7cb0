import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import type { CaseQuery, Mark } from '../../ipc/bindings';
import { signals } from '../../ipc/signals';
import { answers } from '../../ipc/testing';
import { desk } from '../../shared/desk.svelte';
import { aLine, aRow, NOW, todayAt } from '../../shared/examples';
import { MARK_WORDS, shortMarkWord } from '../../shared/words/mark';
import CaseList from './CaseList.svelte';
import { NO_FILTERS, type Question } from './question';

const question: Question = { view: 'all', text: '', filters: NO_FILTERS, sort: 'due', descending: false };
let version = 100;

function show(over: Partial<{ selectedId: string | null; onwindow: (id: string) => void; onenter: () => void }> = {}) {
  const onselect = vi.fn();
  const props = {
    question,
    selectedId: null,
    unassigned: 12,
    all: 100,
    onask: vi.fn(),
    onselect,
    onenter: vi.fn(),
    onwindow: vi.fn(),
    ontotal: vi.fn(),
    ...over,
  };
  return { ...render(CaseList, props), props };
}

it('shows each mark of a row as icon and word', async () => {
  const marks = Object.keys(MARK_WORDS) as Mark[];
  const rows = marks.map((mark, at) => aRow({ id: `c${at}`, mark, open_changes: 1 }));
  answers({
    case_page: () => ({
      rows,
      offset: 0,
      total: rows.length,
      groups: [{ due: 'today', count: rows.length }],
      version: 1,
    }),
  });
  show();
  const shown = await screen.findAllByTestId('row-mark');
  expect(shown.map((element) => element.querySelector('.word')?.textContent)).toEqual(
    marks.slice(0, shown.length).map((mark) => shortMarkWord(mark, null, 0)),
  );
  for (const element of shown) {
    expect(element.querySelector('svg')?.getAttribute('aria-hidden')).toBe('true');
    expect(document.getElementById(element.getAttribute('aria-describedby')!)?.textContent).not.toBe('');
  }
});

it('drops a column in the head and in the rows alike', async () => {
  answers({
    case_page: () => ({ rows: [aRow()], offset: 0, total: 1, groups: [{ due: 'today', count: 1 }], version: 1 }),
  });
  show();
  const row = await screen.findByTestId('case-row');
  const heads = screen.getAllByRole('columnheader');
  const dropped = (cells: Iterable<Element>) =>
    [...cells].map((cell) => ['extra', 'status'].find((name) => cell.classList.contains(name)) ?? null);
  expect(heads.map((head) => head.textContent.trim())[2]).toBe('Priority');
  expect(dropped(heads)).toEqual([null, 'status', 'extra', null, 'extra', null]);
  expect(dropped(row.querySelectorAll('[role=gridcell]'))).toEqual(dropped(heads));
  expect(row.querySelector('.second')?.textContent).toContain('Open');
});

it('says when a row is tried again', async () => {
  const row = aRow({ mark: 'will_retry', next_attempt_at: todayAt(14, 32, 32), open_changes: 1 });
  answers({
    case_page: () => ({ rows: [row], offset: 0, total: 1, groups: [{ due: 'today', count: 1 }], version: 1 }),
  });
  desk.now = NOW;
  show();
  expect((await screen.findByTestId('row-mark')).textContent).toContain('Retry 0:24');
});

it('keeps a few dozen rows of 100,000, with true indices and one tab stop', async () => {
  const calls = answers({
    case_page: ({ query }: { query: CaseQuery }) => ({
      rows: Array.from({ length: query.limit }, (_, at) => aRow({ id: `c${query.offset + at}` })),
      offset: query.offset,
      total: 100_000,
      groups: [{ due: 'today', count: 100_000 }],
      version: 1,
    }),
  });
  show();
  const rows = await screen.findAllByTestId('case-row');
  expect(rows.length).toBeLessThan(60);
  expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('100001');
  expect(rows[0]?.getAttribute('aria-rowindex')).toBe('2');
  expect(rows.filter((row) => row.tabIndex === 0)).toHaveLength(1);
  expect(calls.filter((call) => call.command === 'case_page').length).toBeLessThan(4);
});

it('moves by keys, selects on the way and opens a window by Ctrl Enter', async () => {
  const rows = ['a', 'b', 'c'].map((id) => aRow({ id }));
  answers({ case_page: () => ({ rows, offset: 0, total: 3, groups: [], version: 1 }) });
  const { props } = show({ selectedId: 'a' });
  const [first] = await screen.findAllByTestId('case-row');
  await fireEvent.focusIn(first!);
  await fireEvent.keyDown(first!, { key: 'j' });
  expect(props.onselect).toHaveBeenLastCalledWith('b');
  await fireEvent.keyDown(first!, { key: 'End' });
  expect(props.onselect).toHaveBeenLastCalledWith('c');
  await fireEvent.keyDown(first!, { key: 'Enter', ctrlKey: true });
  expect(props.onwindow).toHaveBeenCalledWith('c');
  await fireEvent.keyDown(first!, { key: 'Enter' });
  expect(props.onenter).toHaveBeenCalled();
});

it('selects the row that End leads to once it is read', async () => {
  answers({
    case_page: ({ query }: { query: CaseQuery }) => ({
      rows: Array.from({ length: Math.min(query.limit, 1_000 - query.offset) }, (_, at) =>
        aRow({ id: `c${query.offset + at}` }),
      ),
      offset: query.offset,
      total: 1_000,
      groups: [],
      version: 1,
    }),
  });
  const { props } = show({ selectedId: 'c0' });
  const [first] = await screen.findAllByTestId('case-row');
  await fireEvent.focusIn(first!);
  await fireEvent.keyDown(first!, { key: 'End' });
  await vi.waitFor(() => expect(props.onselect).toHaveBeenLastCalledWith('c999'));
});

it('selects the first row of a search that does not find the selected case, and keeps one that it finds', async () => {
  answers({
    case_page: ({ query }: { query: CaseQuery }) => {
      const rows = (query.text === 'x' ? ['x', 'y'] : ['a', 'b']).map((id) => aRow({ id }));
      return { rows, offset: 0, total: 2, groups: [], version: 1 };
    },
  });
  const { props, rerender } = show({ selectedId: 'b' });
  await screen.findAllByTestId('case-row');
  await rerender({ ...props, question: { ...question, text: 'heat' } });
  await vi.waitFor(() => expect(props.ontotal).toHaveBeenCalledTimes(2));
  expect(props.onselect).not.toHaveBeenCalled();
  await rerender({ ...props, question: { ...question, text: 'x' } });
  await vi.waitFor(() => expect(props.onselect).toHaveBeenLastCalledWith('x'));
});

it('says "Received" for a change that the outbox shows as received, then nothing', async () => {
  let row = aRow({ id: 'c1', mark: 'sending', open_changes: 1 });
  answers({
    case_page: () => ({ rows: [row], offset: 0, total: 1, groups: [], version: 1 }),
    outbox_page: () => ({
      lines: [aLine({ case_id: 'c1', state: 'acked', mark: 'received' }, 'received')],
      version: 1,
    }),
  });
  show({ selectedId: 'c1' });
  expect((await screen.findByTestId('row-mark')).dataset['mark']).toBe('sending');
  row = aRow({ id: 'c1' });
  signals.receive({ scope: 'cases', version: (version += 1) });
  await vi.waitFor(() => expect(screen.getByTestId('row-mark').dataset['mark']).toBe('received'));
  await vi.waitFor(() => expect(screen.queryByTestId('row-mark')).toBeNull(), { timeout: 3_000 });
});

it('says nothing of a mark that went because the change was discarded', async () => {
  let row = aRow({ id: 'c1', mark: 'refused', open_changes: 1 });
  const calls = answers({
    case_page: () => ({ rows: [row], offset: 0, total: 1, groups: [], version: 1 }),
    outbox_page: () => ({ lines: [aLine({ case_id: 'c1' }, 'discarded')], version: 1 }),
  });
  show({ selectedId: 'c1' });
  await screen.findByTestId('row-mark');
  row = aRow({ id: 'c1' });
  signals.receive({ scope: 'cases', version: (version += 1) });
  await vi.waitFor(() => expect(calls.some((call) => call.command === 'outbox_page')).toBe(true));
  await vi.waitFor(() => expect(screen.queryByTestId('row-mark')).toBeNull());
});

it('says why it is empty', async () => {
  answers({ case_page: () => ({ rows: [], offset: 0, total: 0, groups: [], version: 1 }) });
  render(CaseList, { ...show().props, question: { ...question, view: 'mine' } });
  expect(await screen.findByText('No cases are assigned to you')).toBeTruthy();
  expect(screen.getByText('12 cases are waiting for someone in Unassigned.')).toBeTruthy();
});
