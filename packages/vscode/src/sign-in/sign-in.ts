// The first two inputs: the server, and a key for it. Answers are stored even if a later step fails.
import { type CallOptions, type Client, normalizeServerUrl, whoAmI } from '@pressroom/api/client';
import { l10n, ThemeIcon, workspace, type Memento, type QuickPickItem } from 'vscode';
import { explain } from '../ui/explain.ts';
import { askPick, askText, BACK, type OpenStep } from '../ui/steps.ts';
import { hostOf } from '../ui/texts.ts';
import { browserSignIn, type BrowserSignInParts } from './browser-sign-in.ts';
import type { Connect } from './connect.ts';
import type { Keys } from './keys.ts';

export interface SignIn {
  /** Asks for a server and, if there is none, a key. Returns the server; undefined if cancelled. */
  server(options?: SignInOptions): Promise<string | undefined>;
  /** Asks for a key of this server; returns whether there is one now. */
  key(server: string, options?: SignInOptions & { why?: string }): Promise<boolean | typeof BACK>;
}

export interface SignInOptions {
  readonly title?: string;
  /** Total number of inputs. */
  readonly total?: number;
  /** Offers the servers that the user is signed in to, if there are several. */
  readonly known?: boolean;
}

const LAST = 'pressroom.lastServer';

/** @param claim browser sign-in for servers without codes; undefined if unsupported */
export function createSignIn(
  keys: Keys,
  connect: Connect,
  state: Memento,
  claim?: (server: string) => BrowserSignInParts['claim'],
): SignIn {
  const using = async <T>(
    server: string,
    key: string | undefined,
    use: (client: Client) => Promise<T>,
    waiting?: () => void,
  ) => {
    const client = connect(server, key, waiting);
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  };

  /** A request that validates an input: ends with the input, and reports delays. */
  function askOnce<T>(
    { server, key, step }: { readonly server: string; readonly key?: string; readonly step: OpenStep },
    use: (client: Client, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const waiting = () => step.setPrompt(l10n.t('Waiting for a response from {0}…', hostOf(server)));
    return using(server, key, (client) => use(client, { retries: 0, signal: step.signal }), waiting);
  }

  async function checkServer(text: string, step: OpenStep): Promise<string> {
    const server = normalizeServerUrl(text);
    await askOnce({ server, step }, (client, options) => client.getServerSettings({}, options));
    // Stored at once: the next attempt starts with it.
    await state.update(LAST, server);
    return server;
  }

  async function checkKey(server: string, text: string, step: OpenStep): Promise<string> {
    const key = text.trim();
    if (key === '') throw new Error(l10n.t('Enter an API key.'));
    const user = await askOnce({ server, key, step }, whoAmI);
    if (user?.user_role === 'viewer') {
      throw new Error(
        l10n.t(
          '{0} can only view content on this server. Ask an administrator for the publisher role.',
          user.username,
        ),
      );
    }
    // Escape cancels the sign-in.
    step.signal.throwIfAborted();
    await keys.store({ server, username: user?.username ?? '', guid: user?.guid ?? '' }, key);
    return key;
  }

  /** One of the servers that the user is signed in to; null for another one; undefined if cancelled. */
  async function pickServer(title: string, total: number): Promise<string | null | undefined> {
    const picked = await askPick<QuickPickItem & { readonly server: string | null }>({
      title,
      step: 1,
      total,
      placeholder: l10n.t('Select the server'),
      items: [
        ...keys
          .accounts()
          .map(({ server, username }) => ({ label: hostOf(server), description: username, server })),
        { label: l10n.t('$(add) Another server…'), server: null, alwaysShow: true },
      ],
    });
    return picked === undefined || picked === BACK ? undefined : picked.server;
  }

  const signIn: SignIn = {
    async server({ title = l10n.t('Sign in to a content server'), total = 2, known = false } = {}) {
      for (;;) {
        const isPicked = known && keys.accounts().length > 1;
        const picked = isPicked ? await pickServer(title, total) : null;
        if (picked === undefined) return undefined;
        if (picked !== null && (await keys.get(picked)) !== undefined) return picked;
        const configured = workspace.getConfiguration('pressroom').get<string>('defaultServer', '');
        const server = await askText({
          title,
          step: 1,
          total,
          value: picked ?? (isPicked ? '' : (state.get<string>(LAST) ?? configured)),
          back: isPicked,
          prompt: l10n.t('Server address'),
          placeholder: 'https://connect.example.com',
          check: checkServer,
          explain,
        });
        if (server === BACK) continue;
        if (server === undefined) return undefined;
        if ((await keys.get(server)) !== undefined && known) return server;
        const done = await signIn.key(server, { title, total });
        if (done !== BACK) return done ? server : undefined;
      }
    },
    async key(server, { title = l10n.t('Sign in to {0}', hostOf(server)), total = 1, why } = {}) {
      const browser = browserSignIn({
        server,
        using: (key, use) => using(server, key, use),
        take: (key, step) => checkKey(server, key, step),
        claim: claim?.(server),
      });
      const done = await askText({
        title,
        step: Math.min(2, total),
        total,
        value: '',
        password: true,
        back: total > 1,
        prompt:
          why ??
          l10n.t(
            'Enter an API key for {0}, or leave this empty to sign in with the browser. The key is stored as a secret and sent to that server only.',
            server,
          ),
        placeholder: l10n.t('Press Enter to sign in with the browser'),
        button: {
          button: { iconPath: new ThemeIcon('globe'), tooltip: l10n.t('Sign in with the browser') },
          press: browser,
        },
        empty: browser,
        check: (value, step) => checkKey(server, value, step),
        explain,
      });
      return done === BACK ? BACK : done !== undefined;
    },
  };
  return signIn;
}
