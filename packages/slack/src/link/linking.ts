// Links a Slack user to an account: checks the key, stores it encrypted, and continues with the waiting command.
import { type Client, isCallFailure, RefusedError, whoAmI } from '@pressroom/api/client';
import type { User } from '@pressroom/api/contract';
import { fullName } from '../blocks/names.ts';
import { answerPending } from '../commands/clicks.ts';
import { execute } from '../commands/execute.ts';
import { findByEmail } from '../commands/shared/find-people.ts';
import type { Invoker } from '../deliver/transport/reply.ts';
import type { Services } from '../services.ts';
import type { Texts } from '../texts/en.ts';
import { explain } from '../texts/explain.ts';
import { isClick } from './offer.ts';
import { revokeKey } from './unlinking.ts';

/** Milliseconds for the check of a key: the modal must be answered within three seconds. */
const CHECK_MS = 2000;

/** The account, or the problem as a sentence for the modal. */
export async function tryLink(
  services: Services,
  invoker: Invoker,
  apiKey: string,
  { link: words, code }: Texts,
  keyId: string | null = null,
): Promise<{ problem: string } | { user: User }> {
  const key = apiKey.trim();
  if (!/^[\x21-\x7E]{8,512}$/.test(key)) return { problem: words.notAKey };
  await using client = services.clients.trial(key);
  try {
    const user = await accountOf(services, invoker, client);
    if (user === null) return { problem: words.unknownAccount };
    const before = await services.clients.ofLink(invoker.team, invoker.user);
    await services.store.saveLink({
      team: invoker.team,
      slack_user: invoker.user,
      slack_name: invoker.name,
      server_user: user.guid,
      username: user.username,
      key,
      key_id: keyId,
    });
    // Not awaited: Slack waits three seconds for the answer to a window.
    if (before && before.link.key !== key) void revokeKey(services, before);
    services.clients.forget(invoker.team, invoker.user);
    return { user };
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    const refused = error instanceof RefusedError && error.status === 401;
    return { problem: refused ? words.rejected : explain(error, code).reason.slice(0, 150) };
  }
}

/**
 * The account of a valid key. On servers that do not say whose it is, that with the email address of the Slack user,
 * unless another workspace vouches for the address; null if there is none.
 */
async function accountOf(
  { slack }: Pick<Services, 'slack'>,
  { team, user, isOutsider = false }: Invoker,
  client: Client,
): Promise<User | null> {
  const signal = AbortSignal.timeout(CHECK_MS);
  const account = await whoAmI(client, { signal });
  if (account !== null || isOutsider) return account;
  const { email } = await slack.user(team, user);
  const [only = null, ...others] = email === null ? [] : await findByEmail({ client, signal }, email);
  return others.length === 0 ? only : null;
}

/** Runs the command that waited for the link. */
export async function resumePending(
  services: Services,
  invoker: Invoker,
  pendingId: string,
  user: User,
): Promise<void> {
  const pending = await services.store.takePending(pendingId, invoker.team, invoker.user);
  if (!pending) return;
  const responseUrl = pending.response_url === '' ? null : pending.response_url;
  const there = { ...invoker, channel: pending.channel };
  if (isClick(pending.line)) return answerPending(services, there, pending.line, responseUrl);
  if (pending.line !== '') return execute(services, { line: pending.line, invoker: there, responseUrl });
  services.log.info({ user: invoker.user, account: user.guid }, 'linked %s', fullName(user));
  return execute(services, { line: 'status', invoker: there, responseUrl });
}
