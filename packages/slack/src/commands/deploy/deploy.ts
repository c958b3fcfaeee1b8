// `deploy`: redeploys the active bundle, or deploys another one.
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { resolveContent } from '../shared/find-content.ts';
import { maybeStarted } from '../shared/deploy-once.ts';
import { MaybeStarted, startDeploy } from '../shared/start-deploy.ts';
import { deployTexts } from './texts.ts';

export const deploy: Command = {
  texts: deployTexts,
  syntax: {
    usage: 'deploy <content> [--bundle id]',
    examples: ['deploy sales-report', 'deploy sales-report --bundle 42'],
    subject: 'required',
    options: { bundle: { type: 'number' } },
  },
  account: 'own',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { services, client, asker, command, signal, texts } = run;
    const { content } = found;
    const bundle = textOption(command, 'bundle');
    const started = await startDeploy(services, { client, asker, content, bundle, signal, texts }).catch(
      (error: unknown) => {
        if (error instanceof MaybeStarted) return null;
        throw error;
      },
    );
    if (started === null)
      return maybeStarted(services, deployTexts(texts).theDeploy, titleOf(content), texts);
    const { task, where } = started;
    return note(deployTexts(texts).started(inline(titleOf(content)), inline(task), where));
  },
};
