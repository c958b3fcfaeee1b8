// The workflow step “Deploy content”. Slack does not say who runs a workflow, and its author can name anybody: the
// named person is asked in direct messages, and the deploy runs with the account of whoever presses the button.
import { isCallFailure, type Client, type ContentItem } from '@pressroom/api/client';
import { actions, button, context, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline, link } from '../../blocks/text.ts';
import { outcomeOf } from '../../deliver/deploys/announcement.ts';
import { retryShortly, type Invoker } from '../../deliver/transport/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Notice } from '../../store/notices.ts';
import type { Texts } from '../../texts/en.ts';
import { explain } from '../../texts/explain.ts';
import { readReference } from '../line/content-reference.ts';
import { CLICK_TIMEOUT, deployOnce } from '../shared/deploy-once.ts';
import { contentNamed, mayChange } from '../shared/find-content.ts';
import { deployTexts } from './texts.ts';

export interface StepRequest {
  readonly team: string;
  /** Slack's id of this step's run. */
  readonly execution: string;
  /** Inputs by the workflow's author: untrusted. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Asks the person named by the workflow; ends the step if there is nothing to ask. */
export async function askStep(services: Services, { team, execution, inputs }: StepRequest): Promise<void> {
  const person = String(inputs['person'] ?? '');
  const words = String(inputs['content'] ?? '').trim();
  const known = /^[UW][A-Z0-9]{1,31}$/.test(person);
  const { step, failure, code } = known
    ? await services.languages.ofPerson(team, person)
    : await services.languages.ofChannel(team, '');
  const fail = (why: string) => endStep(services, { team, execution }, { error: why });
  if (!known) return fail(step.noPerson);
  if (words === '') return fail(step.noContent);
  const linked = await services.clients.ofLink(team, person);
  if (linked === null) return fail(step.notLinked(services.command));
  try {
    const signal = AbortSignal.timeout(CLICK_TIMEOUT);
    const content = await contentOf(linked.client, words, signal);
    if (content === null) return await fail(step.ambiguous(words.slice(0, 100)));
    const me = await linked.client.getCurrentUser({}, { signal });
    // By the author's own words: who writes the workflow may not see the title.
    if (!mayChange(content, me)) return await fail(failure.noPermission(words.slice(0, 100)));
    const channel = await services.slack.directMessages(team, person);
    const texts = await services.languages.ofPerson(team, person);
    const message = stepMessage(content, execution, texts);
    await retryShortly(async () => void (await services.slack.post({ team, channel, message })));
  } catch (error) {
    services.log.warn({ err: error }, 'a workflow step failed');
    const why = isCallFailure(error) ? explain(error, code).reason : failure.unexpected;
    await fail(step.failed(why));
  }
}

async function contentOf(client: Client, words: string, signal: AbortSignal): Promise<ContentItem | null> {
  const reference = readReference(words);
  if (reference.kind === 'guid')
    return client.getContent({ guid: reference.guid }, { signal }).catch(() => null);
  const match = await contentNamed(words, { client, signal });
  return match.kind === 'one' ? match.item : null;
}

export function stepMessage(
  content: Pick<ContentItem, 'guid' | 'name' | 'title' | 'url'>,
  execution: string,
  { step, buttons }: Texts,
): Message {
  const value = `${execution} ${content.guid}`;
  return fit({
    text: step.ask(inline(titleOf(content))),
    blocks: [
      section(step.ask(`*${link(content.url, titleOf(content))}*`)),
      context(step.remark),
      actions(
        button('step:deploy', buttons.deploy, value, { style: 'primary' }),
        button('step:cancel', buttons.cancel, value),
      ),
    ],
  });
}

/** @param value such as `Fx123 GUID` */
export async function deployStep(
  services: Services,
  invoker: Invoker,
  value: string,
  texts: Texts,
): Promise<Message> {
  const [execution = '', guid = ''] = value.split(' ');
  const { team } = invoker;
  const { store } = services;
  return deployOnce(
    services,
    { invoker, texts },
    {
      key: `step:${execution}`,
      what: deployTexts(texts).theDeploy,
      guid,
      bundle: null,
      async onStarted(task) {
        await store.saveCursor(keyOf(task), JSON.stringify({ team, execution, person: invoker.user }));
        // It may have ended meanwhile.
        for (const notice of await store.notices.ofTask(task)) await stepEnded(services, notice);
      },
    },
  );
}

/** @param value such as `Fx123 GUID` */
export async function cancelStep(
  services: Services,
  invoker: Invoker,
  value: string,
  { step }: Texts,
): Promise<Message> {
  await clientOf(services, invoker);
  const [execution = ''] = value.split(' ');
  const winner = await services.store.claimClick(`step:${execution}`, invoker.user, invoker.name);
  if (winner !== null) return note(step.over);
  await endStep(services, { team: invoker.team, execution }, { error: step.cancelled });
  return note(step.cancelled);
}

const keyOf = (task: string) => `step/${task}`;

/** Ends the workflow step of a deploy that has ended. */
export async function stepEnded(
  services: Pick<Services, 'store' | 'slack' | 'languages' | 'log'>,
  notice: Pick<Notice, 'task' | 'state' | 'end_reason' | 'url' | 'error'>,
): Promise<void> {
  const { task, url, error } = notice;
  const outcome = outcomeOf(notice);
  if (task === null || outcome === 'running') return;
  const waiting = await services.store.readCursor(keyOf(task));
  // Earlier bots left an empty row.
  if (!waiting) return;
  const { team, execution, person } = JSON.parse(waiting) as Record<'team' | 'execution' | 'person', string>;
  const { step } = await services.languages.ofPerson(team, person);
  const ends = {
    succeeded: { outputs: { task, url: url ?? '' } },
    failed: { error: step.failed(error) },
    cancelled: { error: step.cancelled },
    interrupted: { error: step.failed(error) },
    unknown: { error: step.unknown },
  };
  await endStep(services, { team, execution }, ends[outcome]);
  await services.store.removeCursor(keyOf(task));
}

async function endStep(
  { slack, log }: Pick<Services, 'slack' | 'log'>,
  { team, execution }: Pick<StepRequest, 'team' | 'execution'>,
  end: { readonly outputs: Readonly<Record<string, string>> } | { readonly error: string },
): Promise<void> {
  try {
    await retryShortly(() => slack.endStep(team, execution, end));
  } catch (error) {
    log.warn({ err: error, execution }, 'a workflow step could not be ended');
  }
}
