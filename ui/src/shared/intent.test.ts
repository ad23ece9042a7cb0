import { expect, it } from 'vitest';

import type { Saved } from '../ipc/bindings';
import { Drafts } from './drafts';
import { todayAt } from './examples';
import { Intent, uuidV7 } from './intent';

function saved(over: Partial<Saved> = {}): Saved {
  return {
    case_id: 'c',
    command_id: 'x',
    operation: 'note.add',
    saved_at: todayAt(14, 6),
    already_saved: false,
    ...over,
  };
}

it('makes ids of version 7 that rise with time', () => {
  const early = uuidV7(1_700_000_000_000);
  const late = uuidV7(1_700_000_000_001);
  expect(early).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(early < late).toBe(true);
  expect(Number.parseInt(early.slice(0, 8) + early.slice(9, 13), 16)).toBe(1_700_000_000_000);
});

it('keeps its id while saving fails and renews it after it was saved', async () => {
  const intent = new Intent();
  const first = intent.id;
  const sent: string[] = [];
  const failing = await intent.save((id) => {
    sent.push(id);
    return Promise.reject({ code: 'storage-full', message: 'full' });
  });
  expect(failing).toMatchObject({ kind: 'failed', error: { code: 'storage-full' } });
  await intent.save((id) => {
    sent.push(id);
    return Promise.resolve(saved());
  });
  expect(sent).toEqual([first, first]);
  expect(intent.id).not.toBe(first);
});

it('sends the same id when pressed twice before the answer', async () => {
  const intent = new Intent();
  const known = new Set<string>();
  const send = async (id: string) => {
    const again = known.has(id);
    known.add(id);
    await Promise.resolve();
    return saved({ already_saved: again });
  };
  const outcomes = await Promise.all([intent.save(send), intent.save(send)]);
  expect(known.size).toBe(1);
  expect(outcomes.map((outcome) => outcome.kind === 'saved' && outcome.saved.already_saved)).toEqual([false, true]);
});

it('keeps a draft with the id of its intent, per account and case', () => {
  new Drafts<string>('mara', 'case-1', 'note').keep({ intent: 'i1', content: 'half a sentence' });
  const read = new Drafts<string>('mara', 'case-1', 'note').read();
  expect(read).toEqual({ intent: 'i1', content: 'half a sentence' });
  expect(new Intent(read?.intent).id).toBe('i1');
  expect(new Drafts('luis', 'case-1', 'note').read()).toBeUndefined();
  new Drafts('mara', 'case-1', 'note').clear();
  expect(new Drafts('mara', 'case-1', 'note').read()).toBeUndefined();
});
