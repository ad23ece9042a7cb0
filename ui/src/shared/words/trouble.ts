// Trouble that concerns the whole program or account (UI page, section 5).
import { counted, number } from './phrases';

export type TroubleWords = { title: string; text: string };

export const TROUBLE = {
  storage: (code: 'storage-full' | 'storage-readonly', noun: string, open: number): TroubleWords => ({
    title: code === 'storage-full' ? 'Not saved: this disk is full' : 'Not saved: this folder cannot be written',
    text: `Your ${noun} is still in the form. Nothing on the case was changed. ${
      code === 'storage-full' ? 'Free about 50 MB, then save again.' : 'Make the folder writable, then save again.'
    } ${open === 0 ? '' : open === 1 ? 'The 1 change saved earlier is safe.' : `The ${number(open)} changes saved earlier are safe.`}`.trim(),
  }),
  storeNewer: (writtenBy: string, mine: string, open: number): TroubleWords => ({
    title: 'Saved by a newer version of Onceover',
    text: `Your store was last used by version ${writtenBy}; this is ${mine}. It is opened for reading only and nothing is sent. Your ${counted(open, 'unsent change')} ${open === 1 ? 'is' : 'are'} in it, unchanged.`,
  }),
  storeDamaged: (recovered: number, lost: number | null): TroubleWords => ({
    title: 'The local store is damaged',
    text:
      lost === null
        ? `What is left of it was moved aside, nothing was deleted. ${recovered === 0 ? 'No unsent change' : counted(recovered, 'unsent change')} could be read back; how many more were in it is not known. Nothing is sent before you look at it.`
        : `It was moved aside and copied, nothing was deleted. ${number(recovered)} of ${counted(recovered + lost, 'unsent change')} could be read back${
            lost === 0 ? '' : `; ${number(lost)} could not and ${lost === 1 ? 'is' : 'are'} listed`
          }. Nothing is sent before you look at it.`,
  }),
  epochChanged: (missing: number): TroubleWords => ({
    title: 'The server was put back to an earlier time',
    text:
      missing === 1
        ? '1 of your changes, already received once, is no longer there. It was not sent again. Decide about it.'
        : `${number(missing)} of your changes, already received once, are no longer there. They were not sent again. Decide for each one.`,
  }),
  keychainMissing: {
    title: 'No keychain on this computer',
    text: 'You stay signed in until Onceover is closed. After that you sign in again; changes not sent are kept meanwhile. No password or token is written to disk.',
  } satisfies TroubleWords,
  // After a restore everybody's sessions are ended too, and which of the two it was is not known here.
  sessionRevoked: (open: number): TroubleWords => ({
    title: 'Sign in again',
    text: `The server ended this account’s sessions, as it does when access is ended and when it was put back to an earlier time. Nothing is sent before you sign in again.${
      open === 0
        ? ''
        : ` ${counted(open, 'change')} ${open === 1 ? 'is' : 'are'} sealed here: you can still read and export ${open === 1 ? 'it' : 'them'}.`
    }`,
  }),
  notOurServer: {
    title: 'This network wants you to sign in first',
    text: 'A page that is not the Onceover server answered. No change counts as received. Open the network’s page in a browser, then try again.',
  } satisfies TroubleWords,
  signInNeeded: {
    title: 'Sign in to send your changes',
    text: 'The server wants a new sign-in. Your changes are kept meanwhile, and you can go on working.',
  } satisfies TroubleWords,
} as const;
