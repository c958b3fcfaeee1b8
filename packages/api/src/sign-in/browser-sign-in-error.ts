/** `unsupported`: by the server. `denied`: by the person. `expired`: not approved in time. */
export type BrowserSignInProblem = 'unsupported' | 'denied' | 'expired';

const SAID: Readonly<Record<BrowserSignInProblem, readonly [message: string, hint: string]>> = {
  unsupported: [
    'This server does not support signing in through the browser.',
    'Create an API key in its dashboard and paste it.',
  ],
  denied: ['The sign-in was denied in the browser.', 'Try again, or use an API key.'],
  expired: ['The sign-in was not approved in time.', 'Try again: a code is valid for ten minutes.'],
};

/** A sign-in through the browser that was not completed. */
export class BrowserSignInError extends Error {
  override readonly name = 'BrowserSignInError';
  readonly kind: BrowserSignInProblem;
  /** What to do next, in a sentence. */
  readonly hint: string;

  constructor(kind: BrowserSignInProblem, cause?: unknown) {
    const [message, hint] = SAID[kind];
    super(message, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.hint = hint;
  }
}
