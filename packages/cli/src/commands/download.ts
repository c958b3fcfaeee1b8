// pressroom download: the archive of a bundle, as it was uploaded.
import { resolve } from 'node:path';
import { commandHint } from '../arguments/command-hint.ts';
import { resolveContent } from '../arguments/content-argument.ts';
import { listedBy } from '../arguments/missing-object.ts';
import { stringOption, type Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { requireNew, saveDownload } from '../save-download.ts';
import { show } from '../terminal/output.ts';
import { bytesText } from '../terminal/terminal.ts';

export const download: Command = {
  name: 'download',
  synopsis: 'download [CONTENT]',
  summary: 'Download the files of a bundle as an archive',
  help: [
    '  --bundle BUNDLE    Bundle to download (default: the live one)',
    '  --file FILE        New file for it (default: NAME-BUNDLE.tar.gz in the current directory)',
    'The archive also has the manifest.json that it was published with: once unpacked, pressroom deploy',
    'publishes the same again, also to another server.',
  ],
  options: { bundle: { type: 'string' }, file: { type: 'string' } },
  positionals: [0, 1],
  async run(context) {
    const given = stringOption(context, 'file');
    if (given !== undefined) requireNew(resolve(context.cwd, given));
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const call = { signal: context.signal };
    const { name, bundle_id } = await client.getContent({ guid }, call);
    const id = stringOption(context, 'bundle') ?? bundle_id;
    if (id === null)
      throw new UsageError(
        'No bundle is live.',
        `To list those that were uploaded, run: ${commandHint(context, 'bundles', 'argument')}`,
      );
    // A server's name must not lead out of the directory.
    const file = resolve(context.cwd, given ?? `${`${name}-${id}`.replace(/[^\w-]/g, '_')}.tar.gz`);
    requireNew(file);
    const from = { server: client.url, operation: 'downloadBundle' };
    const bundle = await client.downloadBundle({ guid, id }, call).catch(listedBy(context, 'bundles', true));
    const bytes = await saveDownload(context, from, bundle, {
      file,
      mode: 0o644,
      check: (_partial, size) => Promise.resolve(size),
    });
    return show(context, { file, bytes, bundle_id: id }, () => [
      [`Downloaded bundle ${id} to ${file} (${bytesText(bytes)}).`],
    ]);
  },
};
