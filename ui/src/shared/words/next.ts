// What comes next for a change and when, as the sync centre’s third column says it.
import type { Pending } from '../../ipc/bindings';
import { clockOrDay, countdown } from '../time';
import { NEEDS_DECISION } from './mark';
import { number } from './phrases';
import type { Around } from './sentence';

/** What comes next and when, as the sync centre's third column says it. */
export function next(change: Pending, around: Around): string {
  if (change.resolution) return '';
  const planned = change.next_attempt_at;
  switch (change.reason.kind) {
    case 'next':
      return 'Next';
    case 'offline':
      return 'When online';
    case 'sign_in':
      return 'After sign-in';
    case 'after':
      if (change.reason.mark === 'in_doubt' || NEEDS_DECISION.includes(change.reason.mark)) return '';
      return `After ${number(around.before ?? 1)} other${(around.before ?? 1) === 1 ? '' : 's'}`;
    case 'dependency':
      return `After ${number(around.before ?? 1)} other${(around.before ?? 1) === 1 ? '' : 's'}`;
    case 'connection_failed':
    case 'slow_down':
    case 'server_busy':
    case 'not_our_server':
      return planned ? `Next try in ${countdown(planned, around.now)}` : '';
    case 'ask_first':
      return planned ? `Next check ${clockOrDay(planned, around.now)}` : '';
    case 'resend':
      return planned ? `Next try ${clockOrDay(planned, around.now)}` : '';
    case 'role':
    case 'hidden':
      return `Checked ${clockOrDay(change.updated_at, around.now)}`;
    case 'confirmation':
    case 'quarantined':
    case 'recovered':
    case 'missing_again':
    case 'too_old':
    case 'content_lost':
      return 'You';
    case 'conflict':
    case 'rule':
    case 'archived':
    case 'too_large':
    case 'not_understood':
    case 'number_reused':
    case 'dependency_failed':
      return `Since ${clockOrDay(change.updated_at, around.now)}`;
    case 'paused':
    case 'awaiting_answer':
    case 'sealed':
    case 'received':
      return '';
  }
}
