// The scope of `subscribe` and `unsubscribe` without content: --all, --owner, --tag or --type.
import { kinds } from '@pressroom/api/contract';
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Scope } from '../../deliver/subscriptions/scopes.ts';
import type { Run } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { fold } from '../line/words.ts';
import { findPeople } from './find-people.ts';

/** Of content of this server, and of those that have fewer types. */
const TYPES = [...new Set(kinds.flatMap(({ appmode, app_mode }) => [appmode, app_mode]))];

/** Options that name one. */
export const SCOPES = {
  all: { type: 'flag' },
  owner: { type: 'text' },
  tag: { type: 'text' },
  type: { type: 'text' },
} as const;

export interface NamedScope extends Scope {
  readonly title: string;
}

/** Null if none is given; a message if it does not exist. */
export async function scopeFrom(run: Run): Promise<NamedScope | { message: Message } | null> {
  const { client, command, signal } = run;
  const words = run.texts.subscribe;
  if (command.options['all'] === true) return { kind: 'all', value: '', title: words.allContent };
  const type = textOption(command, 'type');
  if (type !== null) {
    const value = TYPES.find((one) => one === type.toLowerCase());
    if (value === undefined) return { message: note(words.noType(inline(type), TYPES.join(', '))) };
    return { kind: 'type', value, title: words.ofType(value) };
  }
  const tag = textOption(command, 'tag');
  if (tag !== null) {
    // In any case: the server matches exact names only.
    const found = (await client.getTags({}, { signal })).find(({ name }) => fold(name) === fold(tag));
    if (!found) return { message: note(words.noTag(inline(tag))) };
    return { kind: 'tag', value: found.id, title: words.tagged(found.name) };
  }
  const owner = textOption(command, 'owner');
  if (owner === null) return null;
  const me = await client.getCurrentUser({}, { signal });
  if (owner === 'me' || owner === me.username)
    return { kind: 'owner', value: me.guid, title: words.ownedBy(me.username) };
  const { found } = (await findPeople(run, owner)) ?? { found: [] };
  // Addresses and mentions name one person, other words may be the start of a username.
  const name = owner.toLowerCase().replace(/^@/, '');
  const person = name.includes('@')
    ? found[0]
    : found.find(({ username }) => username?.toLowerCase() === name);
  if (person) return { kind: 'owner', value: person.guid, title: words.ownedBy(person.username) };
  return { message: note(words.noUser(inline(owner))) };
}
