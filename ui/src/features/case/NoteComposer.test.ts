import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';

import { answers } from '../../ipc/testing';
import { desk } from '../../shared/desk.svelte';
import { aSession, todayAt } from '../../shared/examples';
import NoteComposer from './NoteComposer.svelte';

function show() {
  desk.session = aSession();
  return render(NoteComposer, { caseId: 'c1' });
}

async function write(text: string) {
  const field = screen.getByTestId<HTMLTextAreaElement>('note-text');
  await fireEvent.focus(field);
  await fireEvent.input(field, { target: { value: text } });
  return field;
}

it('keeps the text when the disk is full, says what is safe, and saves the same intent again', async () => {
  let full = true;
  const calls = answers({
    note_add: () => {
      if (full) throw { code: 'storage-full', message: 'full' };
      return { case_id: 'c1', command_id: 'x', operation: 'note.add', saved_at: todayAt(14, 32), already_saved: false };
    },
  });
  show();
  const field = await write('Panel pulled on Saturday.');
  await fireEvent.click(screen.getByTestId('note-save'));
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('Not saved: this disk is full');
  expect(alert.textContent).toContain('Your note is still in the form. Nothing on the case was changed.');
  expect(field.value).toBe('Panel pulled on Saturday.');
  full = false;
  await fireEvent.click(screen.getByText('Save again'));
  await vi.waitFor(() => expect(field.value).toBe(''));
  expect(calls.map((call) => call.args['intent_id'])).toEqual([
    calls[0]!.args['intent_id'],
    calls[0]!.args['intent_id'],
  ]);
});

it('sends the text byte for byte by Ctrl Enter', async () => {
  const calls = answers({
    note_add: () => ({
      case_id: 'c1',
      command_id: 'x',
      operation: 'note.add',
      saved_at: todayAt(14, 32),
      already_saved: false,
    }),
  });
  show();
  const field = await write('  <b>two</b>\nlines ');
  await fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true });
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]?.args).toMatchObject({ case_id: 'c1', text: '  <b>two</b>\nlines ' });
});

it('says when it was saved already', async () => {
  answers({
    note_add: () => ({
      case_id: 'c1',
      command_id: 'x',
      operation: 'note.add',
      saved_at: todayAt(14, 6),
      already_saved: true,
    }),
  });
  show();
  await write('Twice.');
  await fireEvent.click(screen.getByTestId('note-save'));
  expect((await screen.findByTestId('note-said')).textContent).toBe(
    'This was already saved at 14:06. It was not saved twice.',
  );
});

it('keeps a draft for the next time, with its intent', async () => {
  const calls = answers({});
  const first = show();
  await write('Half a thought');
  await fireEvent.click(screen.getByTestId('note-save'));
  await screen.findByTestId('save-problem');
  first.unmount();
  show();
  expect(screen.getByTestId<HTMLTextAreaElement>('note-text').value).toBe('Half a thought');
  await fireEvent.click(screen.getByTestId('note-save'));
  await vi.waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]?.args['intent_id']).toBe(calls[0]?.args['intent_id']);
});
