// Signing in and out.
import { number } from './phrases';

export const SIGN_OUT = {
  title: (open: number) =>
    open === 1 ? '1 of your changes has not been received' : `${number(open)} of your changes have not been received`,
  question: (offline: boolean) => `${offline ? 'You are offline. ' : ''}What should happen to them when you sign out?`,
  keep: 'Keep for me',
  keepText:
    'They stay on this computer under your account and are sent after you sign in here again. Nobody else can see or send them.',
  discard: (open: number) => (open === 1 ? 'Discard it' : `Discard all ${number(open)}`),
  discardText: (open: number, doubt: number) =>
    [
      'They are removed from this computer and never sent.',
      doubt === 1 ? 'The one in doubt may have reached the server already.' : '',
      doubt > 1 ? `The ${number(doubt)} in doubt may have reached the server already.` : '',
      `You will be asked to type the number ${number(open)}.`,
    ]
      .filter(Boolean)
      .join(' '),
  sendFirst: 'Send first',
  sendFirstText: (waiting: number) => `Waits for ${number(waiting)} that can go now, then signs out.`,
  stay: 'Stay signed in',
  andKeep: 'Sign out and keep',
  andDiscard: 'Sign out and discard',
  andSend: 'Send, then sign out',
  typeNumber: (open: number) => `Type ${open} to discard`,
} as const;

/** What stands below the sign-in form. */
export function signInProblem(code: string, server: string): string {
  switch (code) {
    case 'invalid-credentials':
      return 'Organization, user name or password is not right.';
    case 'unreachable':
    case 'not-our-server':
      return `No Onceover server answers at ${server}.`;
    case 'tls':
      return 'The server’s certificate is not trusted.';
    case 'clock':
      return 'This computer’s clock is off; the certificate cannot be checked.';
    case 'throttled':
      return 'Too many tries. Wait a minute, then try again.';
    case 'storage-full':
      return 'This disk is full, so the session could not be saved. Free about 50 MB, then try again.';
    case 'storage-readonly':
      return 'The folder of this profile cannot be written. Nothing was changed.';
    case 'store-newer':
      return 'A newer version of Onceover was used for this account. Nothing was changed; sign in with that version.';
    default:
      return 'The sign-in did not work. Nothing was changed.';
  }
}
