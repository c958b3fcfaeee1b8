// pressroom tags: the tags of content, or all tags of the server as a tree.
import type { Client } from '@pressroom/api/client';
import type { Tag } from '@pressroom/api/contract';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContent } from '../arguments/content-argument.ts';
import { listOption, requireAlone, type Command, type CommandContext } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { UsageError } from '../exit-codes.ts';
import { show } from '../terminal/output.ts';

export const tags: Command = {
  name: 'tags',
  synopsis: 'tags [CONTENT]',
  summary: 'List, add or remove the tags of published content',
  help: [
    '  --add TAG          Add this tag (repeatable); CATEGORY/TAG where several have the name',
    '  --remove TAG       Remove this tag (repeatable)',
    '  --all              List all tags of the server',
  ],
  options: {
    add: { type: 'string', multiple: true },
    remove: { type: 'string', multiple: true },
    all: { type: 'boolean' },
  },
  positionals: [0, 1],
  async run(context) {
    const { signal, values, positionals } = context;
    requireAlone(context, 'all', ['add', 'remove']);
    if (values['all'] === true) {
      await using client = openClient(context, await resolveConnection(context));
      const all = await client.getTags({}, { signal });
      return show(context, all, () =>
        all
          .map((tag) => pathOf(tag, all))
          .toSorted()
          .map((path) => [path]),
      );
    }
    const { client, guid } = await resolveContent(context, positionals[0]);
    await using _client = client;
    const all = await client.getTags({}, { signal });
    const [add, remove] = ['add', 'remove'].map((name) =>
      listOption(context, name).map((text) => findTag(context, all, text)),
    ) as [Tag[], Tag[]];
    await change(client, guid, { add, remove }, signal);
    const found = await client.getContentTags({ guid }, { signal });
    return show(context, found, () => found.map((tag) => [pathOf(tag, all)]), 'The content has no tags.');
  },
};

async function change(
  client: Client,
  guid: string,
  { add, remove }: { add: readonly Tag[]; remove: readonly Tag[] },
  signal: AbortSignal,
): Promise<void> {
  for (const { id } of add) await client.addContentTag({ guid, tag_id: id }, { signal });
  for (const { id } of remove) await client.removeContentTag({ guid, id }, { signal });
}

/** From its category on: `Department/Sales`. */
function pathOf(tag: Tag, all: readonly Tag[]): string {
  const path = new Set<Tag>();
  // Ends even if a server lists tags below themselves.
  for (let next: Tag | undefined = tag; next !== undefined && !path.has(next); next = parentOf(next, all))
    path.add(next);
  const names = [...path].map(({ name }) => name);
  return names.toReversed().join('/');
}

function parentOf(tag: Tag, all: readonly Tag[]): Tag | undefined {
  return all.find(({ id }) => id === tag.parent_id);
}

function findTag(context: CommandContext, all: readonly Tag[], text: string): Tag {
  const wanted = text.toLowerCase();
  const found = all.filter((tag) => {
    const path = pathOf(tag, all).toLowerCase();
    return path === wanted || (!wanted.includes('/') && tag.name.toLowerCase() === wanted);
  });
  const [first, second] = found;
  if (first === undefined)
    throw new UsageError(
      `There is no tag ${text}.`,
      `To list all tags, run: ${commandHint(context, 'tags --all')}`,
    );
  if (second !== undefined)
    throw new UsageError(
      `Several tags are called ${text}.`,
      `Use one of: ${found.map((tag) => pathOf(tag, all)).join(', ')}`,
    );
  return first;
}
