// pressroom delete: deletes content with all its bundles, after its name was typed.
import { countsUse } from '@pressroom/api/contract';
import { contentLinks, describeLinks, describeUse, recentUse } from '@pressroom/api/usage';
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { confirm } from '../terminal/output.ts';
import { createPrompt } from '../terminal/prompt.ts';

export const deleteContent: Command = {
  name: 'delete',
  synopsis: 'delete [CONTENT]',
  summary: 'Delete content with all its bundles',
  help: ['  --yes              Do not ask'],
  options: { yes: { type: 'boolean' } },
  positionals: [0, 1],
  async run(context) {
    const { terminal, signal, values, stdin, stderr, positionals } = context;
    const { client, guid } = await resolveContent(context, positionals[0]);
    await using _client = client;
    const { name, title, app_mode } = await client.getContent({ guid }, { signal });
    if (values['yes'] !== true) {
      const [use, links] = await Promise.all([
        countsUse(app_mode) ? recentUse(client, guid, signal) : null,
        contentLinks(client, guid, signal),
      ]);
      terminal.note(`This deletes ${title ?? name} with all its bundles. It cannot be undone.`);
      if (use !== null) terminal.note(describeUse(use));
      if (links !== null && links.total > 0) terminal.note(describeLinks(links));
      const prompt = createPrompt(stdin, stderr, signal);
      const typed = await prompt.ask(`To confirm, enter its name (${name}): `).finally(() => prompt.close());
      if (typed !== name) throw new UsageError('The name does not match. Nothing was deleted.');
    }
    await client.deleteContent({ guid }, { signal });
    return confirm(context, { deleted: guid }, `Deleted ${title ?? name}.`);
  },
};
