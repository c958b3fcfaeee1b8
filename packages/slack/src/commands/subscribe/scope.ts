// What `subscribe` is about when it names no content: --all, --owner, --tag or --type.
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Scope } from '../../deliver/scopes.ts';
import type { Run } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';

export interface NamedScope extends Scope {
  readonly title: string;
}

/** Null where the line names none; a message where it names nothing that is there. */
export async function scopeFrom(run: Run): Promise<NamedScope | { message: Message } | null> {
  const { client, command, signal } = run;
  if (command.options['all'] === true) return { kind: 'all', value: '', title: 'all content' };
  const type = textOption(command, 'type');
  if (type !== null) return { kind: 'type', value: type, title: `content of type ${type}` };
  const tag = textOption(command, 'tag');
  if (tag !== null) {
    const found = (await client.getTags({ name: tag }, { signal })).find(
      ({ name }) => name.toLowerCase() === tag.toLowerCase(),
    );
    if (!found) return { message: note(`There is no tag *${inline(tag)}*.`) };
    return { kind: 'tag', value: found.id, title: `content tagged ${found.name}` };
  }
  const owner = textOption(command, 'owner');
  if (owner === null) return null;
  const me = await client.getCurrentUser({}, { signal });
  if (owner === 'me' || owner === me.username)
    return { kind: 'owner', value: me.guid, title: `content of ${me.username}` };
  for await (const person of client.each.getUsers({ prefix: owner, page_size: 50 }, { signal })) {
    if (person.username.toLowerCase() === owner.toLowerCase())
      return { kind: 'owner', value: person.guid, title: `content of ${person.username}` };
  }
  return { message: note(`There is no user *${inline(owner)}* that you can see.`) };
}
