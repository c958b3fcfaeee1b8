// The line that adds a subscription again.
import { variantOfFilter } from '../../deliver/renderings/renderings.ts';
import { scopeOf } from '../../deliver/subscriptions/scopes.ts';
import type { ContentClients } from '../../link/content-clients.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import { commandLine } from '../line/parsed-command.ts';

/** Without the slash command. What the content server does not name now is `…`. */
export async function subscribeLine(clients: ContentClients, subscription: Subscription): Promise<string> {
  const { filters, quiet, digest_hour: hour } = subscription;
  const words = filters.split(',');
  const variants = words.flatMap(variantOf);
  const { subject = '', ...scope } = await subjectOf(clients, subscription);
  const options = {
    ...scope,
    ...(variants.length > 0 && { variant: variants.join(',') }),
    ...(quiet !== null && { quiet }),
    ...(hour !== 8 && { at: String(hour) }),
  };
  const others = words.filter((word) => variantOfFilter(word) === null);
  // Beside other filters, --variant needs the one that it is about.
  const typed = variants.length > 0 && others.length > 0 ? [...others, 'renderings'] : others;
  return commandLine({ name: 'subscribe', subject, options, filters: typed });
}

/** The name, or the key if commas would divide the name; none for other filters. */
function variantOf(word: string): string[] {
  const name = variantOfFilter(word);
  if (name === null) return [];
  return [name.includes(',') ? (word.split('/')[1] ?? name) : name];
}

async function subjectOf(
  clients: ContentClients,
  subscription: Subscription,
): Promise<Readonly<Record<string, string | true>> & { readonly subject?: string }> {
  const scope = scopeOf(subscription);
  if (scope === null) return { subject: subscription.content };
  const { kind, value } = scope;
  if (kind === 'all') return { all: true };
  if (kind === 'type') return { type: value };
  const linked = await clients.ofLink(subscription.team, subscription.slack_user);
  if (kind === 'owner' && linked?.link.server_user === value) return { owner: 'me' };
  const named =
    kind === 'tag'
      ? linked?.client.getTags().then((tags) => tags.find(({ id }) => id === value)?.name)
      : linked?.client.getUser({ guid: value }).then(({ username }) => username);
  return { [kind]: (await named?.catch(() => null)) ?? '…' };
}
