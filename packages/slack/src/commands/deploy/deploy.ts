// `deploy`: redeploys the active bundle, or deploys another one.
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import type { Command } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { maybeStarted } from '../shared/deploy-once.ts';
import { resolveContent } from '../shared/find-content.ts';
import { AlreadyStarted, MaybeStarted, startDeploy } from '../shared/start-deploy.ts';
import { deployTexts } from './texts.ts';

export const deploy: Command = {
  texts: deployTexts,
  syntax: {
    usage: 'deploy <content> [--bundle id] [--task id]',
    examples: ['deploy sales-report', 'deploy sales-report --bundle 42'],
    subject: 'required',
    options: { bundle: { type: 'number' }, task: { type: 'text' } },
  },
  account: 'own',
  async run(run) {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    const { services, client, invoker, command, signal, texts } = run;
    const { content } = found;
    const bundle = textOption(command, 'bundle');
    const words = deployTexts(texts);
    try {
      const draftTask = textOption(command, 'task');
      const options = { client, invoker, content, bundle, draftTask, signal, texts };
      const { task, where } = await startDeploy(services, options);
      return note(words.started(inline(titleOf(content)), inline(task), where));
    } catch (error) {
      if (error instanceof MaybeStarted)
        return maybeStarted(services, words.theDeploy, titleOf(content), texts);
      if (error instanceof AlreadyStarted)
        return note(words.already(inline(error.by), words.theDeploy, inline(error.task)));
      throw error;
    }
  },
};
