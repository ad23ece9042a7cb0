// Why something was refused or failed: rights, the rules of the field, and codes.
import type { Pending, Status } from '../../ipc/bindings';
import { STATUS_ORDER } from '../vocabulary';
import { statusWord } from './case';
import { OPERATION_NOUNS, payloadParts } from './change';

export function roleNeeded(change: Pending): string {
  const to = payloadParts(change.payload).to;
  if (change.operation === 'case.transition' && to === 'closed') return 'Closing a case';
  if (change.operation === 'case.transition' && to === 'reopened') return 'Reopening a case';
  if (change.operation === 'case.archive') return 'Archiving a case';
  if (change.operation === 'case.restore') return 'Restoring a case';
  if (change.operation === 'note.redact') return 'Redacting a note';
  if (change.operation === 'notice.issue') return 'Issuing a notice';
  return `This ${OPERATION_NOUNS[change.operation]}`;
}

export function ruleSentence(rule: string, change: Pending): string {
  switch (rule) {
    case 'illegal-transition': {
      const to = payloadParts(change.payload).to as Status;
      const from = change.from_status;
      if (!from) return `The case cannot go to ${statusWord(to)} from where it is now.`;
      const back = STATUS_ORDER.indexOf(to) < STATUS_ORDER.indexOf(from) ? 'go back' : 'go';
      const article = /^[aeiou]/i.test(statusWord(from)) ? 'An' : 'A';
      return `${article} ${statusWord(from).toLowerCase()} case cannot ${back} to ${statusWord(to)}.`;
    }
    case 'already-exists':
      return 'The server has something else under this id already.';
    case 'external-id-taken':
      return 'Another case has this external id already.';
    case 'not-archived':
      return 'The case is not archived.';
    case 'unknown-assignee':
      return 'The new assignee is nobody of this organization.';
    default:
      return `The server’s rules do not allow it (${rule}).`;
  }
}

const CODE_WORDS: Record<string, string> = {
  unreachable: 'the server could not be reached',
  clock: 'the certificate is not valid by this computer’s clock',
  timeout: 'no answer in time',
  cut: 'the connection broke off',
  'not-tls': 'the server does not speak https there',
  'not-our-answer': 'the answer was not about this change',
  'fence-mismatch': 'the server was put back to an earlier time',
  internal: 'the server had an error of its own',
};

export function codeWords(code: string): string {
  return CODE_WORDS[code] ?? code;
}
