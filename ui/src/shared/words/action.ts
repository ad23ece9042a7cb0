// What a person can do about a change, by its reason.
import type { Pending } from '../../ipc/bindings';

export type Action =
  | 'try_now'
  | 'sign_in'
  | 'show_it'
  | 'resume'
  | 'put_back'
  | 'send_again'
  | 'leave_out'
  | 'confirm'
  | 'copy_text'
  | 'discard'
  | 'ask'
  | 'details'
  | 'open_case'
  | 'resolve'
  | 'edit_again';

export const ACTION_WORDS: Record<Action, string> = {
  try_now: 'Try now',
  sign_in: 'Sign in',
  show_it: 'Show it',
  resume: 'Resume',
  put_back: 'Put back',
  send_again: 'Send again',
  leave_out: 'Leave out…',
  confirm: 'Confirm and send',
  copy_text: 'Copy text',
  discard: 'Discard…',
  ask: 'Ask the server',
  details: 'Details',
  open_case: 'Open case',
  resolve: 'Resolve…',
  edit_again: 'Edit and send as new',
};

/** What a person can do about a change, in the order of the buttons. */
export function actions(change: Pending): Action[] {
  if (change.resolution) return ['details'];
  switch (change.reason.kind) {
    case 'next':
    case 'awaiting_answer':
      return [];
    case 'offline':
    case 'connection_failed':
    case 'slow_down':
    case 'server_busy':
    case 'not_our_server':
      return ['try_now'];
    case 'sign_in':
      return ['sign_in'];
    case 'paused':
      return ['resume'];
    case 'after':
      return ['show_it'];
    case 'dependency':
      return [];
    case 'confirmation':
      return ['confirm', 'copy_text', 'discard'];
    case 'role':
    case 'hidden':
      return ['copy_text', 'discard'];
    case 'quarantined':
    case 'recovered':
      return ['put_back', 'copy_text', 'discard'];
    case 'missing_again':
      return ['send_again', 'leave_out'];
    case 'ask_first':
    case 'resend':
      return ['details', 'ask'];
    case 'too_old':
      return ['open_case', 'discard'];
    case 'conflict':
      return ['resolve'];
    case 'rule':
      // Of a case that was refused there is nothing on this computer to edit.
      return change.operation === 'case.create' ? ['copy_text', 'discard'] : ['edit_again', 'copy_text', 'discard'];
    case 'archived':
    case 'too_large':
    case 'not_understood':
    case 'number_reused':
    case 'dependency_failed':
    case 'sealed':
      return ['copy_text', 'discard'];
    case 'content_lost':
      return ['details', 'discard'];
    case 'received':
      return change.mark === 'received' ? ['open_case'] : [];
  }
}
