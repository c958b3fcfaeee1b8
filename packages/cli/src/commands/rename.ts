// pressroom rename: changes the title of content, or its name.
import { resolveContentOption } from '../arguments/content-argument.ts';
import { stringOption, type Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm } from '../terminal/output.ts';

export const rename: Command = {
  name: 'rename',
  synopsis: 'rename [TITLE] [--content CONTENT]',
  summary: 'Change the title of content',
  help: [
    '  --content CONTENT    Content to rename (default: the current directory)',
    '  --name NAME          Change the name: 3 to 64 letters, digits, - and _',
  ],
  options: { content: { type: 'string' }, name: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const { signal, positionals } = context;
    const [title] = positionals;
    const name = stringOption(context, 'name');
    if (title === undefined && name === undefined)
      throw new UsageError('Nothing to change.', 'Give a title, or --name NAME.');
    // Servers change nothing then.
    if (name?.trim() === '') throw new UsageError('The name is empty.');
    const { client, guid } = await resolveContentOption(context);
    await using _client = client;
    const changes = { ...(title !== undefined && { title }), ...(name !== undefined && { name }) };
    const content = await client.updateContent({ guid, ...changes }, { signal });
    return confirm(context, content, `Renamed to ${content.title ?? content.name} (${content.name}).`);
  },
};
