// The sentences about the connection.
import { expect, it } from 'vitest';

import { aStatus, NOW, todayAt } from '../examples';
import { OFFLINE_TITLE, lastContact, offlineText } from './connection';

it('says the last contact', () => {
  expect(lastContact(aStatus(), NOW)).toBe('Online. Last answer from the server 8 seconds ago.');
  expect(lastContact(aStatus({ link: 'offline', link_since: todayAt(14, 18) }), NOW)).toBe('Offline since 14:18.');
});

it('offline banner', () => {
  expect(`${OFFLINE_TITLE} ${offlineText(todayAt(14, 18), NOW)}`).toBe(
    'You are offline. Keep working: what you do is saved on this computer and sent when the connection is back. Cases are as of 14:18.',
  );
});
