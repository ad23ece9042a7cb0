// Which shape and colour stands for a mark. Round looks after itself, corners may need you; colour comes last.
import type { Mark } from '../../ipc/bindings';
import type { IconName } from '../icons';

export type Tone = 'neutral' | 'send' | 'retry' | 'doubt' | 'conflict' | 'refused' | 'lock' | 'done';

export const MARK_ICONS: Record<Mark, IconName> = {
  received: 'received',
  received_saving_here: 'received-outline',
  saved_here: 'saved',
  waiting: 'clock',
  sending: 'sending',
  will_retry: 'retry',
  in_doubt: 'doubt',
  not_allowed: 'lock',
  no_longer_yours: 'lock',
  confirm_to_send: 'triangle',
  missing_again: 'triangle',
  stopped: 'triangle',
  content_lost: 'triangle',
  stopped_for_good: 'refused',
  refused: 'refused',
  conflict: 'conflict',
};

export const MARK_TONES: Record<Mark, Tone> = {
  received: 'done',
  received_saving_here: 'done',
  saved_here: 'neutral',
  waiting: 'neutral',
  sending: 'send',
  will_retry: 'retry',
  in_doubt: 'doubt',
  not_allowed: 'lock',
  no_longer_yours: 'lock',
  confirm_to_send: 'refused',
  missing_again: 'refused',
  stopped: 'refused',
  content_lost: 'refused',
  stopped_for_good: 'refused',
  refused: 'refused',
  conflict: 'conflict',
};

const ROUND: readonly Mark[] = ['received', 'received_saving_here', 'saved_here', 'waiting', 'sending', 'will_retry'];

export function isRound(mark: Mark): boolean {
  return ROUND.includes(mark);
}
