// pressroom bundles: the bundles of a content item, and which one is active.
import { shortSha, type BundleGa } from '@pressroom/api/contract';
import { resolveContent } from '../arguments/content-argument.ts';
import type { Command } from '../command.ts';
import { show } from '../terminal/output.ts';
import { bytesText } from '../terminal/terminal.ts';

export const bundles: Command = {
  name: 'bundles',
  synopsis: 'bundles [CONTENT]',
  summary: 'List the bundles of published content',
  positionals: [0, 1],
  async run(context) {
    const { client, guid } = await resolveContent(context, context.positionals[0]);
    await using _client = client;
    const list = await Array.fromAsync(client.each.getBundles({ guid }, { signal: context.signal }));
    return show(context, list, (all) => [
      ['', 'BUNDLE', 'UPLOADED', 'SIZE', '', '', all.some(commitOf) ? 'COMMIT' : ''],
      ...all.map((bundle) => [
        bundle.active ? '*' : ' ',
        bundle.id,
        bundle.created_time,
        bytesText(bundle.size),
        bundle.r_version === null || bundle.r_version === undefined ? '' : `R ${bundle.r_version}`,
        bundle.py_version === null || bundle.py_version === undefined ? '' : `Python ${bundle.py_version}`,
        commitOf(bundle),
      ]),
    ]);
  },
};

/** For a bundle from git; some servers do not report sources. */
function commitOf(bundle: object): string {
  const { metadata } = bundle as Partial<BundleGa>;
  const { source_commit: sha, source_subject: subject } = metadata ?? {};
  return sha === undefined ? '' : `${shortSha(sha)} ${subject ?? ''}`.trim();
}
