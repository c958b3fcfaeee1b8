// Signs in with the browser from the input for a key: shows the code to compare, and continues by itself.
import { hostname } from 'node:os';
import type { Client } from '@pressroom/api/client';
import { BrowserSignInError, signInWithBrowser } from '@pressroom/api/sign-in';
import { env, l10n, Uri } from 'vscode';
import type { OpenStep } from '../ui/steps.ts';
import type { ClaimedKey } from './claim-token.ts';

export interface BrowserSignInParts {
  readonly server: string;
  /** Runs with a client for the server. */
  readonly using: <T>(key: string | undefined, use: (client: Client) => Promise<T>) => Promise<T>;
  /** Checks and stores a key, however obtained. */
  readonly take: (key: string, step: OpenStep) => Promise<string>;
  /** Sign-in for servers without codes, if supported. */
  readonly claim?:
    | ((clientName: string, onPage: (address: string) => void, signal: AbortSignal) => Promise<ClaimedKey>)
    | undefined;
}

/** Starts the sign-in; opens the page again if one is running. */
export function browserSignIn({ server, using, take, claim }: BrowserSignInParts): (step: OpenStep) => void {
  let page: Uri | null = null;
  let running = false;

  async function run(step: OpenStep): Promise<void> {
    const clientName = `Pressroom for VS Code on ${hostname()}`;
    const show = (address: string, prompt: string) => {
      page = ownPage(server, address);
      step.setPrompt(prompt);
      void env.openExternal(page);
    };
    try {
      const made: ClaimedKey = await using(undefined, (client) =>
        signInWithBrowser(client, {
          clientName,
          signal: step.signal,
          onCode: ({ user_code, verification_uri_complete }) => {
            const text = l10n.t(
              'Approve the request in the browser if the page shows the code {0}. Waiting…',
              user_code,
            );
            show(verification_uri_complete, text);
          },
        }),
      ).catch((error: unknown) => {
        if (claim === undefined || !isUnsupported(error)) throw error;
        const text = l10n.t('Sign in on the page in the browser to connect this editor. Waiting…');
        return claim(clientName, (address) => show(address, text), step.signal);
      });
      step.finish(await keep(made, step));
    } catch (error) {
      if (step.signal.aborted) return;
      step.setPrompt(null);
      step.fail(translated(error));
    }
  }

  /** Revokes a key that cannot be used here; if that fails, it stays in the user's list of keys. */
  async function keep({ key, id, user_guid: guid }: ClaimedKey, step: OpenStep): Promise<string> {
    try {
      return await take(key, step);
    } catch (error) {
      await using(key, (client) => client.deleteApiKey({ guid, id })).catch(() => undefined);
      throw error;
    }
  }

  return (step) => {
    if (running) {
      if (page !== null) void env.openExternal(page);
      return;
    }
    running = true;
    step.setPrompt(l10n.t('Connecting to {0}…', server));
    void run(step).finally(() => {
      running = false;
      page = null;
    });
  };
}

function isUnsupported(error: unknown): boolean {
  return error instanceof BrowserSignInError && error.kind === 'unsupported';
}

/** The address comes from a server: it must be a page of that server. @throws Error */
export function ownPage(server: string, address: string): Uri {
  if (URL.parse(address)?.origin !== new URL(server).origin) {
    throw new Error(
      l10n.t('The sign-in page is not on this server, so it was not opened. Paste an API key instead.'),
    );
  }
  return Uri.parse(address, true);
}

function translated(error: unknown): unknown {
  if (!(error instanceof BrowserSignInError)) return error;
  switch (error.kind) {
    case 'unsupported':
      return new Error(
        l10n.t(
          'This server does not support signing in with the browser. Create an API key in its dashboard and paste it.',
        ),
      );
    case 'denied':
      return new Error(l10n.t('The sign-in was denied in the browser. Try again, or paste an API key.'));
    case 'expired':
      return new Error(l10n.t('The sign-in was not approved in time. Try again, or paste an API key.'));
  }
}
