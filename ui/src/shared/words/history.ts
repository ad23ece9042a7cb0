// The steps of one change’s history.
import type { StateName } from '../../ipc/bindings';
import { counted } from './phrases';
import { codeWords } from './refusal';

/** One step of a change's history. */
export function historyStep(
  entry: { from: StateName | null; to: StateName; event: string; code: string | null; attempt: number },
  secondsBefore: number | null,
): string {
  const because = entry.code ? `: ${codeWords(entry.code)}` : '';
  switch (entry.event) {
    case 'discarded':
      return 'Discarded by you';
    case 'superseded':
      return 'Replaced by your decision';
    case 'rebased':
      return 'Built on your decision';
    case 'requeued':
      return 'Put back to be sent';
    case 'confirmed':
      return 'Confirmed by you';
    case 'not_seen':
      return 'Asked: the server does not have it';
    case 'still_unknown':
      return entry.code === 'processing'
        ? 'Asked: the server was still working on it'
        : `Asked${because || ': no answer'}`;
    case 'window_expired':
      return 'Asked: the server no longer keeps answers this old';
    case 'missing_again':
      return 'The server was put back to an earlier time and no longer has it';
    case 'projected':
      return 'Noted down on this computer';
    case 'claim_ended':
      if (entry.to === 'queued') return 'Not sent yet';
      break;
  }
  if (entry.from === null) return 'Saved on this computer';
  switch (entry.to) {
    case 'queued':
      return 'Waiting to be sent';
    case 'claimed':
      return 'Next to be sent';
    case 'sending':
      return entry.attempt > 1 ? 'Sent again under the same number' : 'Sent to the server';
    case 'retryable_failed':
      return `Not sent${because}`;
    case 'unknown':
      if (entry.from === 'unknown') return `Asked${because || ': no answer'}`;
      return secondsBefore === null ? 'No answer' : `No answer after ${counted(secondsBefore, 'second')}`;
    case 'conflict':
      return 'Someone had changed the same fields';
    case 'rejected':
      return `Refused${because}`;
    case 'acked':
      return 'Received, once';
  }
}
