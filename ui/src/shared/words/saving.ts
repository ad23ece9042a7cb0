// What a form says about its save: pressed twice, kept as a draft, or not done.
import { clockOrDay, type Moment } from '../time';

export function savedAgain(savedAt: Moment, now: Moment): string {
  return `This was already saved at ${clockOrDay(savedAt, now)}. It was not saved twice.`;
}

export const DRAFT_KEPT = 'Draft kept on this computer';

/** What a form says when its save failed for a reason that is not the disk. */
export function saveProblem(code: string, message: string, noun: string): string {
  switch (code) {
    case 'sign-in-needed':
      return `Not saved: sign in first. Your ${noun} is still in the form.`;
    case 'store-newer':
      return `Not saved: this store is open for reading only. Your ${noun} is still in the form.`;
    case 'store-damaged':
      return `Not saved: the local store is damaged. Your ${noun} is still in the form.`;
    case 'not-allowed':
      return `Not saved: your role does not allow it. Your ${noun} is still in the form.`;
    case 'not-found':
      return `Not saved: this case is no longer here. Your ${noun} is still in the form.`;
    case 'invalid':
      return `Not saved: ${message}. Your ${noun} is still in the form.`;
    default:
      return `Not saved. Your ${noun} is still in the form. Nothing on the case was changed.`;
  }
}
