// The words for trouble.
import { expect, it } from 'vitest';

import { TROUBLE } from './trouble';

it('trouble', () => {
  expect(TROUBLE.storage('storage-full', 'note', 11)).toEqual({
    title: 'Not saved: this disk is full',
    text: 'Your note is still in the form. Nothing on the case was changed. Free about 50 MB, then save again. The 11 changes saved earlier are safe.',
  });
  expect(TROUBLE.storeNewer('2.4', '2.1', 11).text).toBe(
    'Your store was last used by version 2.4; this is 2.1. It is opened for reading only and nothing is sent. Your 11 unsent changes are in it, unchanged.',
  );
  expect(TROUBLE.storeDamaged(10, 1).text).toBe(
    'It was moved aside and copied, nothing was deleted. 10 of 11 unsent changes could be read back; 1 could not and is listed. Nothing is sent before you look at it.',
  );
  expect(TROUBLE.storeDamaged(0, null).text).toBe(
    'What is left of it was moved aside, nothing was deleted. No unsent change could be read back; how many more were in it is not known. Nothing is sent before you look at it.',
  );
  expect(TROUBLE.storeDamaged(2, null).text).toContain('2 unsent changes could be read back; how many more');
});

it('is as true of a restored server as of an access that was ended', () => {
  const ended =
    'The server ended this account’s sessions, as it does when access is ended and when it was put back to an earlier time. Nothing is sent before you sign in again.';
  expect(TROUBLE.sessionRevoked(11)).toEqual({
    title: 'Sign in again',
    text: `${ended} 11 changes are sealed here: you can still read and export them.`,
  });
  expect(TROUBLE.sessionRevoked(1).text).toBe(`${ended} 1 change is sealed here: you can still read and export it.`);
  expect(TROUBLE.sessionRevoked(0).text).toBe(ended);
});
