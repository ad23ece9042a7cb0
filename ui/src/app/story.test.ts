// A working minute in the main window: what is done shows at once, with its mark, and the mark goes when it is received.
import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { beforeEach, expect, it, vi } from 'vitest';

import { answerFrom } from '../ipc/call';
import { FakeProgram } from '../ipc/fake-program';
import { signalsFrom } from '../ipc/window';
import { startClockAt } from '../shared/clock';
import { desk } from '../shared/desk.svelte';
import { NOW } from '../shared/examples';
import App from './App.svelte';

const CASE = '0197f3c2-5a10-7000-8000-000000000103';

beforeEach(() => {
  startClockAt(NOW);
  desk.session = null;
  desk.sync = null;
  const program = new FakeProgram({
    window: 'main',
    link: 'online',
    rows: 14,
    signedOut: false,
    full: false,
    trouble: null,
    empty: false,
  });
  answerFrom((command, args) => program.answer(command, args));
  signalsFrom((receive) => program.listen(receive));
});

async function openCase() {
  render(App);
  await screen.findAllByTestId('case-row');
  await fireEvent.click(row());
  await vi.waitFor(() => expect(screen.getByTestId('case-view').dataset['id']).toBe(CASE), { timeout: 8_000 });
  await screen.findByTestId('case-title');
}

function row(): HTMLElement {
  return screen.getAllByTestId('case-row').find((one) => one.dataset['id'] === CASE)!;
}

it('edits a title: shown at once with a mark, and without it when received', async () => {
  await openCase();
  await fireEvent.click(screen.getByTestId('case-edit'));
  await fireEvent.input(await screen.findByTestId('edit-title'), { target: { value: 'No smoke detector in unit 4' } });
  await fireEvent.click(screen.getByTestId('edit-save'));
  await vi.waitFor(() => expect(row().textContent).toContain('No smoke detector in unit 4'), { timeout: 8_000 });
  expect(within(row()).getByTestId('row-mark').dataset['mark']).toBe('saved_here');
  expect((await screen.findByTestId('case-mark')).dataset['mark']).toBe('saved_here');
  await vi.waitFor(() => expect(within(row()).queryByTestId('row-mark')).toBeNull(), { timeout: 10_000 });
  expect(screen.queryByTestId('case-mark')).toBeNull();
});

it('changes the status with a reason, adds a tag and a note', async () => {
  await openCase();
  await fireEvent.click(screen.getByTestId('status-change'));
  const target = await screen.findByTestId<HTMLSelectElement>('status-target');
  expect(target.value).toBe('under_review');
  await fireEvent.input(screen.getByTestId('status-reason'), { target: { value: 'Not A Slug' } });
  await fireEvent.click(screen.getByTestId('status-save'));
  expect(screen.getByText('The reason must be 1 to 40 of a–z, 0–9 and _.')).toBeTruthy();
  await fireEvent.input(screen.getByTestId('status-reason'), { target: { value: 'evidence_complete' } });
  await fireEvent.click(screen.getByTestId('status-save'));

  expect(await screen.findByText('server last showed Open')).toBeTruthy();
  await fireEvent.input(screen.getByTestId('tag-input'), { target: { value: 'smoke' } });
  await fireEvent.click(screen.getByTestId('tag-add'));
  expect((await screen.findByTestId('tag')).textContent).toContain('smoke');
  await fireEvent.focus(screen.getByTestId('note-text'));
  await fireEvent.input(screen.getByTestId('note-text'), { target: { value: '<i>Owner called.</i>' } });
  await fireEvent.click(screen.getByTestId('note-save'));
  expect(await screen.findByText('<i>Owner called.</i>')).toBeTruthy();
});

it('reaches theme and sign-out by the gear and its key', async () => {
  await openCase();
  await fireEvent.keyDown(window, { key: ',', ctrlKey: true });
  const theme = await screen.findByTestId<HTMLSelectElement>('theme');
  expect(document.activeElement).toBe(theme);
  await fireEvent.change(theme, { target: { value: 'dark' } });
  expect(document.documentElement.dataset['theme']).toBe('dark');
  await fireEvent.change(theme, { target: { value: 'system' } });
  await fireEvent.click(screen.getByTestId('sign-out'));
  expect(await screen.findByTestId('sign-out-dialog')).toBeTruthy();
});

it('opens a case by the C key, named "New case" until it has a number', async () => {
  await openCase();
  await fireEvent.keyDown(window, { key: 'c' });
  await fireEvent.input(await screen.findByTestId('edit-title'), { target: { value: 'Broken railing' } });
  await fireEvent.click(screen.getByTestId('new-case-save'));
  await vi.waitFor(() => expect(screen.getByTestId('case-label').textContent).toBe('New case'), { timeout: 8_000 });
  expect(screen.getByTestId('case-title').textContent).toContain('Broken railing');
});
