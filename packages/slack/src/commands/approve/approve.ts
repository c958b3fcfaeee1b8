// `approve`: approves a bundle that somebody else uploaded, if the content requires it.
import { section } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { titleOf } from '../../blocks/names.ts';
import { inline } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { releaseButtons, releasesMessage, standingText } from '../releases/blocks.ts';
import { resolveContent } from '../shared/find-content.ts';
import { approveTexts } from './texts.ts';

export const approve: Command = {
  texts: approveTexts,
  syntax: {
    usage: 'approve <content> [--bundle id]',
    examples: ['approve sales-report', 'approve sales-report --bundle 42'],
    subject: 'required',
    options: { bundle: { type: 'number' } },
  },
  account: 'own',
  async run(run) {
    const { client, command, signal, texts } = run;
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { content } = found;
    const waiting = await client.getReleases({ guid: content.guid }, { signal });
    const id = textOption(command, 'bundle') ?? (waiting.length === 1 ? waiting[0]!.bundle_id : null);
    if (id === null) return releasesMessage(content, waiting, texts);
    // The server decides at this moment who may.
    const release = await client.approveRelease({ guid: content.guid, id }, { signal });
    const title = inline(titleOf(content));
    return fit({
      text: approveTexts(texts).text(inline(id), title),
      blocks: [
        section(approveTexts(texts).done(title, standingText(release, texts))),
        releaseButtons(content.guid, release, texts),
      ],
    });
  },
};
