import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';

import { ReceivedMarks } from '../../shared/delivery/received.svelte';
import { desk } from '../../shared/desk.svelte';
import { aChange, aDetail, aSession, aStatus, DANA, NOW, todayAt } from '../../shared/examples';
import Timeline from './Timeline.svelte';

it('says who changed the same field and when, as the sync centre does', () => {
  desk.session = aSession();
  desk.sync = aStatus();
  desk.now = NOW;
  desk.members = [{ id: DANA, username: 'dana.ruiz', display_name: 'Dana Ruiz', role: 'supervisor', disabled: false }];
  const change = aChange({
    operation: 'case.edit',
    payload: { changes: { title: { from: 'Drain', to: 'Mine' } } },
    state: 'conflict',
    mark: 'conflict',
    reason: { kind: 'conflict', fields: ['title'] },
    their_actor: DANA,
    their_at: todayAt(13, 51),
  });
  render(Timeline, { detail: aDetail({ pending: [change] }), received: new ReceivedMarks() });
  expect(screen.getAllByText(/^Dana Ruiz changed the same field at 13:51,/)).not.toHaveLength(0);
  expect(screen.queryByText(/Someone/)).toBeNull();
});
