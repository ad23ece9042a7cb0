// What is said about the connection to the server.
import type { SyncStatus } from '../../ipc/bindings';
import { clockOrDay, secondsSince, type Moment } from '../time';
import { counted } from './phrases';

export function lastContact(status: SyncStatus, now: Moment): string {
  if (status.link === 'offline') {
    return status.link_since ? `Offline since ${clockOrDay(status.link_since, now)}.` : 'Offline.';
  }
  if (status.link === 'not_our_server') return 'This network wants you to sign in first.';
  if (!status.last_answer_at) return 'No answer from the server yet.';
  const seconds = secondsSince(status.last_answer_at, now);
  if (seconds >= 120) return `Online. Last answer from the server at ${clockOrDay(status.last_answer_at, now)}.`;
  return `Online. Last answer from the server ${counted(seconds, 'second')} ago.`;
}

export const OFFLINE_TITLE = 'You are offline.';

export function offlineText(lastPullAt: Moment | null, now: Moment): string {
  const asOf = lastPullAt === null ? '' : ` Cases are as of ${clockOrDay(lastPullAt, now)}.`;
  return `Keep working: what you do is saved on this computer and sent when the connection is back.${asOf}`;
}

export const NEEDS_SERVER = 'Needs a connection. You are offline.';
