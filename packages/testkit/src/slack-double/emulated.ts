// `emulate` as a second Slack, of somebody else's making: with the scopes of the app manifest, strictly kept.
import { createEmulator } from 'emulate';

export interface EmulatedSlack extends AsyncDisposable {
  /** For `slackApiUrl`. */
  readonly apiUrl: string;
  readonly token: string;
  // A test states what it expects of the answer; the compiler need not know it too.
  // oxlint-disable-next-line typescript/no-explicit-any
  call(method: string, args?: Readonly<Record<string, string>>): Promise<any>;
}

const TOKEN = 'xoxb-emulate-test';

export async function startEmulatedSlack(
  scopes: readonly string[],
  user: { name: string; email: string },
): Promise<EmulatedSlack> {
  const emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: {
      slack: {
        users: [{ name: user.name, real_name: user.name, email: user.email }],
        channels: [{ name: 'data-science' }],
        bots: [{ name: 'pressroom' }],
        tokens: [{ token: TOKEN, user: user.name, scopes: [...scopes] }],
        strict_scopes: true,
      },
    },
  });
  const apiUrl = `${emulator.url}/api/`;
  return {
    apiUrl,
    token: TOKEN,
    async call(method, args = {}) {
      const response = await fetch(apiUrl + method, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: new URLSearchParams(args),
      });
      return response.json();
    },
    [Symbol.asyncDispose]: () => emulator.close(),
  };
}
