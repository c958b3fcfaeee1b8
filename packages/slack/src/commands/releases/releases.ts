// `releases`: bundles of a content item that wait for approval, with their approvals.
import type { Command } from '../command.ts';
import { resolveContent } from '../shared/find-content.ts';
import { releasesMessage } from './blocks.ts';
import { releasesTexts } from './texts.ts';

export const releases: Command = {
  texts: releasesTexts,
  syntax: {
    usage: 'releases <content>',
    examples: ['releases sales-report'],
    subject: 'required',
    options: {},
  },
  account: 'own',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { guid } = found.content;
    const waiting = await run.client.getReleases({ guid }, { signal: run.signal });
    return releasesMessage(found.content, waiting, run.texts);
  },
};
