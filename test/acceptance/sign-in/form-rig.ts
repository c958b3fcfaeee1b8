// Sign-in with a password on the server's own page.
import type { Config } from '@pressroom/server';
import { KNOWN_PEOPLE } from '@pressroom/testkit';
import type { Rig } from './conformance.ts';

/** @param provider identity provider with the people, ended with the rig. */
export function formRig(settings: Partial<Config>, provider?: AsyncDisposable): Rig {
  return {
    settings,
    async signIn(at, browser, who, next = '/') {
      const { username, password } = KNOWN_PEOPLE[who];
      return browser.follow(await browser.submit(`${at}/__login__`, { username, password, next }));
    },
    fail: (at, browser, who) =>
      browser.submit(`${at}/__login__`, { username: KNOWN_PEOPLE[who].username, password: 'wrong' }),
    [Symbol.asyncDispose]: async () => provider?.[Symbol.asyncDispose](),
  };
}
