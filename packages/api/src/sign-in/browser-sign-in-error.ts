/** `unsupported`: by the server. `denied`: by the person. `expired`: not approved in time. */
export type BrowserSignInProblem = 'unsupported' | 'denied' | 'expired';

/** What a person approves in the browser. */
export type Approved = 'sign-in' | 'backup';

const SAID: Readonly<
  Record<Approved, Record<BrowserSignInProblem, readonly [message: string, hint: string]>>
> = {
  'sign-in': {
    unsupported: [
      'This server does not support signing in through the browser.',
      'Create an API key in its dashboard and paste it.',
    ],
    denied: ['The sign-in was denied in the browser.', 'Try again, or use an API key.'],
    expired: ['The sign-in was not approved in time.', 'Try again: a code is valid for ten minutes.'],
  },
  backup: {
    unsupported: [
      'This server does not give backups to the command line.',
      "On the server's machine, run: npm run backup -- FILE",
    ],
    denied: ['The backup was denied in the browser.', 'Nothing was downloaded.'],
    expired: ['The backup was not confirmed in time.', 'Try again: a code is valid for ten minutes.'],
  },
};

/** A sign-in, or another approval in the browser, that was not completed. */
export class BrowserSignInError extends Error {
  override readonly name = 'BrowserSignInError';
  readonly kind: BrowserSignInProblem;
  /** What to do next, in a sentence. */
  readonly hint: string;

  constructor(kind: BrowserSignInProblem, cause?: unknown, what: Approved = 'sign-in') {
    const [message, hint] = SAID[what][kind];
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.hint = hint;
  }
}
