// Links accounts in the browser: shows a page and a code, waits in the background, and stores the key like a pasted
// one.
import type { ClientClock } from '@pressroom/api/client';
import { BrowserSignInError, signInWithBrowser } from '@pressroom/api/sign-in';
import { failureMessage, note } from '../blocks/notes.ts';
import { inline } from '../blocks/text.ts';
import { createReply, type Invoker } from '../deliver/transport/reply.ts';
import type { WorkQueue } from '../deliver/transport/work-queue.ts';
import { publishHome } from '../home/home.ts';
import type { Services } from '../services.ts';
import type { Texts } from '../texts/en.ts';
import { browserLinkMessage, linkNeeded } from './blocks.ts';
import { resumePending, tryLink } from './linking.ts';

export interface LinkRequest {
  readonly invoker: Invoker;
  /** The workspace's name as people see it. */
  readonly workspace: string;
  /** The command that waits for the link; `home` from the home tab. */
  readonly pending: string;
  readonly responseUrl: string | null;
}

interface NewKey {
  readonly key: string;
  readonly id: string;
}

export interface BrowserLinks extends AsyncDisposable {
  /** Returns at once. A new request of the same person replaces the earlier one. */
  begin(request: LinkRequest): void;
}

/** The name of the account of a new key, if it is not the person's own. */
async function otherAccount({ clients }: Services, key: string, email: string): Promise<string | null> {
  await using client = clients.trial(key);
  const user = await client.getCurrentUser();
  return user.email.toLowerCase() === email.toLowerCase() ? null : user.username;
}

/** Of an account that was not linked: nobody would know the key. */
async function revokeNewKey({ clients, log }: Services, { key, id }: NewKey): Promise<void> {
  await using client = clients.patient(key);
  try {
    const { guid } = await client.getCurrentUser();
    await client.deleteApiKey({ guid, id });
  } catch (error) {
    log.warn({ err: error, key: id }, 'the API key of a link that failed could not be revoked');
  }
}

/** Links the account of a new key if it is the person's own; revokes the key otherwise. */
async function linkOwn(services: Services, invoker: Invoker, email: string, made: NewKey, texts: Texts) {
  let isLinked = false;
  try {
    // Somebody tricked into approving another person's code must not lend them the account.
    const other = await otherAccount(services, made.key, email);
    if (other !== null) return { other };
    const result = await tryLink(services, invoker, made.key, texts, made.id);
    isLinked = 'user' in result;
    return result;
  } finally {
    if (!isLinked) await revokeNewKey(services, made);
  }
}

export function createBrowserLinks(services: Services, queue: WorkQueue, clock: ClientClock): BrowserLinks {
  const running = new Map<string, AbortController>();
  const ends = new Set<Promise<void>>();

  async function link({ invoker, workspace, pending, responseUrl }: LinkRequest, signal: AbortSignal) {
    const { clients, slack, log } = services;
    const texts = await services.languages.ofPerson(invoker.team, invoker.user);
    const reply = createReply({ slack, invoker, responseUrl, log });
    await using client = clients.trial();
    try {
      // Another workspace gives its people any address.
      if (invoker.isOutsider === true)
        return await reply.respond(linkNeeded(pending, texts, texts.link.otherWorkspace));
      // People choose their names in Slack; the workspace verifies the address.
      const { email } = await slack.user(invoker.team, invoker.user);
      if (email === null) return await reply.respond(linkNeeded(pending, texts, texts.link.noEmail));
      const made = await signInWithBrowser(client, {
        clientName: `Pressroom for Slack: ${email} in ${workspace}`,
        onCode: (code) => reply.respond(browserLinkMessage(clients.server, code, texts)),
        signal,
        clock,
      });
      const result = await linkOwn(services, invoker, email, made, texts);
      if ('other' in result)
        return await reply.respond(linkNeeded(pending, texts, texts.link.otherAccount(inline(result.other))));
      if ('problem' in result) return await reply.respond(note(inline(result.problem)));
      await reply.respond(note(texts.link.done(inline(result.user.username))));
      if (pending === 'home') queue.add(() => publishHome(services, invoker), invoker);
      else queue.add(() => resumePending(services, invoker, pending, result.user), invoker);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof BrowserSignInError))
        return await reply.respond(failureMessage(error, texts.failure.link, texts));
      const message = texts.link.problems[error.kind];
      return await reply.respond(
        error.kind === 'unsupported' ? linkNeeded(pending, texts, message) : note(message),
      );
    }
  }

  return {
    begin(request) {
      const who = `${request.invoker.team}/${request.invoker.user}`;
      running.get(who)?.abort();
      const abort = new AbortController();
      running.set(who, abort);
      const end = link(request, abort.signal)
        .catch((error: unknown) => services.log.warn({ err: error }, 'linking in the browser failed'))
        .finally(() => {
          ends.delete(end);
          if (running.get(who) === abort) running.delete(who);
        });
      ends.add(end);
    },
    async [Symbol.asyncDispose]() {
      for (const abort of running.values()) abort.abort();
      await Promise.all(ends);
    },
  };
}
