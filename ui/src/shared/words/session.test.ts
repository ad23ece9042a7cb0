// The sentences of signing in and out.
import { expect, it } from 'vitest';

import { SIGN_OUT, signInProblem } from './session';

it('sign-out', () => {
  expect(SIGN_OUT.title(11)).toBe('11 of your changes have not been received');
  expect(SIGN_OUT.discardText(11, 1)).toBe(
    'They are removed from this computer and never sent. The one in doubt may have reached the server already. You will be asked to type the number 11.',
  );
  expect(SIGN_OUT.sendFirstText(7)).toBe('Waits for 7 that can go now, then signs out.');
});

it('sign-in', () => {
  expect(signInProblem('invalid-credentials', 'x')).toBe('Organization, user name or password is not right.');
  expect(signInProblem('unreachable', 'cases.example')).toBe('No Onceover server answers at cases.example.');
  expect(signInProblem('clock', 'x')).toBe('This computer’s clock is off; the certificate cannot be checked.');
  expect(signInProblem('tls', 'x')).toBe('The server’s certificate is not trusted.');
});
