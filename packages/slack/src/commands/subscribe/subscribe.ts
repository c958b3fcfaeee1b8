// `subscribe`: posts notifications about one or more content items in this channel.
import type { ContentItem } from '@pressroom/api/client';
import { engineOf } from '@pressroom/api/contract';
import { findVariant } from '@pressroom/api/publish';
import type { Message } from '../../blocks/blocks.ts';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { onlyFailures } from '../../deliver/deploys/announce-in-channels.ts';
import { leaveReleases } from '../../deliver/releases/leave-releases.ts';
import { variantFilter } from '../../deliver/renderings/renderings.ts';
import { digestPlanOf, digestTime, isQuiet, parseQuiet } from '../../deliver/subscriptions/quiet.ts';
import { scopeKey } from '../../deliver/subscriptions/scopes.ts';
import { languageCode } from '../../texts/languages.ts';
import type { Command, Run } from '../command.ts';
import { textOption } from '../line/parsed-command.ts';
import { renderTexts } from '../render/texts.ts';
import { deploysIn } from '../shared/audit-log.ts';
import { filterWords } from '../shared/filter-words.ts';
import { mayChange, resolveContent } from '../shared/find-content.ts';
import { scopeFrom, SCOPES } from '../shared/scope.ts';
import { usageTexts } from '../usage/texts.ts';
import { dryRunMessage, type DryRunEntry } from './blocks.ts';
import { subscribeTexts } from './texts.ts';

const WEEK = 7 * 86_400_000;
const DEFAULT_FILTERS = ['deploys', 'failures'];
const DIGESTS = ['usage-weekly', 'usage-daily'];

export const subscribe: Command = {
  texts: subscribeTexts,
  syntax: {
    usage: 'subscribe <content> [deploys|failures|renderings|usage-weekly|usage-daily]',
    examples: [
      'subscribe sales-report failures',
      'subscribe sales-report usage-weekly --at 9 --quiet 22-7',
      'subscribe sales-report renderings --variant North',
      'subscribe --owner me failures',
      'subscribe --tag finance',
    ],
    subject: 'optional',
    options: {
      ...SCOPES,
      quiet: { type: 'text' },
      language: { type: 'text' },
      variant: { type: 'text' },
      at: { type: 'number' },
      'dry-run': { type: 'flag' },
    },
    instead: Object.keys(SCOPES),
    filters: ['deploys', 'failures', 'renderings', ...DIGESTS],
  },
  // The channel sees the content with the subscriber's rights.
  account: 'own',
  async run(run) {
    const { command, services, invoker, texts } = run;
    const words = texts.subscribe;
    const quiet = textOption(command, 'quiet');
    if (quiet !== null && parseQuiet(quiet) === null) return note(words.quiet);
    const hour = Number(textOption(command, 'at') ?? 8);
    if (hour > 23) return note(words.hour);
    const named = textOption(command, 'language');
    const language = named === null ? null : languageCode(named);
    if (named !== null && language === null) return note(words.language);
    if (DIGESTS.every((digest) => command.filters.includes(digest))) return note(words.oneDigest);
    const about = await subjectOf(run);
    if ('message' in about) return about.message;
    const { guid, title, content } = about;
    // Mentions and direct messages come without the name.
    const { name, zone } = await services.slack
      .user(invoker.team, invoker.user)
      .catch(() => ({ name: invoker.name, zone: 'UTC' }));
    const filters = await filtersOf(run, content);
    if ('message' in filters) return filters.message;
    const me = await run.client.getCurrentUser({}, { signal: run.signal });
    const isCollaborator = content === null || mayChange(content, me);
    const hasDigest = filters.some((word) => DIGESTS.includes(word));
    if (hasDigest && !isCollaborator) return note(usageTexts(texts).onlyCollaborators(inline(title)));
    if (command.options['dry-run'] === true) {
      if (content === null) return note(words.oneItem);
      const entries = await lastWeek(run, guid, { filters, quiet, zone, hour });
      return entries === null ? note(words.noAudit) : dryRunMessage(title, filters, entries, texts);
    }
    if (!(await services.slack.canPost(invoker.team, invoker.channel)))
      return note(words.cannotPost(services.command.replace('/', '@')));
    if (language !== null) await services.languages.choose(invoker.team, invoker.channel, language);
    const place = { team: invoker.team, channel: invoker.channel, content: guid };
    const [before] = await services.store.subscriptions(place);
    await services.store.saveSubscription({
      ...place,
      title,
      filters: filters.join(','),
      quiet,
      zone,
      digest_hour: hour,
      slack_user: invoker.user,
      slack_name: name,
    });
    if (before?.filters.split(',').includes('deploys') && !filters.includes('deploys'))
      await leaveReleases(services, place, content === null ? null : guid);
    const [from = '', to = ''] = quiet?.split('-') ?? [];
    const hours = quiet === null ? '' : words.quietHours(from, to, inline(zone));
    const digests = hasDigest ? words.digests(hour, inline(zone)) : '';
    const output = isCollaborator ? '' : words.noOutput;
    const said = inline(filterWords(filters, texts));
    const isSame = before?.slack_user === invoker.user && before.filters === filters.join(',');
    const replaced =
      before === undefined || isSame
        ? ''
        : words.replaces(inline(filterWords(before.filters.split(','), texts)), inline(before.slack_name));
    return note(`${words.done(inline(title), said, `${hours}${digests}`)}${output}${replaced}`);
  },
};

/** Filters of the subscription; with `--variant`, only renderings of that variant. */
async function filtersOf(
  { command, client, signal, texts }: Run,
  content: ContentItem | null,
): Promise<readonly string[] | { message: Message }> {
  const words = texts.subscribe;
  const given = [...new Set(command.filters)];
  const engine = content === null ? undefined : engineOf(content.app_mode);
  if (content !== null && engine !== undefined && engine !== 'document' && given.includes('renderings'))
    return { message: note(words.notRendered(inline(titleOf(content)))) };
  const name = textOption(command, 'variant');
  if (name === null) return given.length === 0 ? DEFAULT_FILTERS : given;
  if (content === null || (given.length > 0 && !given.includes('renderings')))
    return { message: note(words.variantOfOne) };
  const all = await client.getContentVariants({ guid: content.guid }, { signal });
  const chosen = given.filter((word) => word !== 'renderings');
  // Comma-separated, unless a name contains the comma.
  for (const one of findVariant(all, name) ? [name] : name.split(',').map((part) => part.trim())) {
    const variant = findVariant(all, one);
    if (variant === undefined) return { message: note(renderTexts(texts).noVariant(inline(one))) };
    if (!variant.is_default && variant.visibility !== 'public')
      return { message: note(words.privateVariant(inline(variant.name))) };
    chosen.push(variantFilter(variant.key, variant.name || one));
  }
  return [...new Set(chosen)];
}

/** One content item, or a scope. */
async function subjectOf(
  run: Run,
): Promise<{ guid: string; title: string; content: ContentItem | null } | { message: Message }> {
  const scope = await scopeFrom(run);
  if (scope !== null) {
    if ('message' in scope) return scope;
    return { guid: scopeKey(scope), title: scope.title, content: null };
  }
  if (run.command.subject === '') return { message: note(run.texts.subscribe.nameIt) };
  const found = await resolveContent(run);
  if ('message' in found) return found;
  return { guid: found.content.guid, title: titleOf(found.content), content: found.content };
}

interface Wishes {
  readonly filters: readonly string[];
  readonly quiet: string | null;
  readonly zone: string;
  readonly hour: number;
}

/** What the subscription would have posted; null if the bot cannot read the audit log. */
async function lastWeek(
  { services, signal, texts }: Run,
  guid: string,
  { filters, quiet, zone, hour }: Wishes,
): Promise<DryRunEntry[] | null> {
  const reader = services.clients.service;
  if (reader === null) return null;
  const words = texts.subscribe;
  const now = services.now();
  const entries: DryRunEntry[] = [];
  for await (const { time, bundle, task } of deploysIn(reader, now - WEEK, signal, guid)) {
    const failed = task !== null && (await isFailed(reader, task));
    const only = onlyFailures({ filters: filters.join(','), quiet, zone }, Date.parse(time));
    const held = only === null ? words.notSubscribed : only === 1 && !failed ? words.failuresOnly : null;
    // Without the audit log's text, which is for administrators.
    const what = bundle === null ? words.deploy : words.deployOf(bundle);
    entries.push({ time, text: `${what}${failed ? words.failed : ''}`, held });
    if (entries.length >= 100) break;
  }
  const plan = digestPlanOf({ filters: filters.join(','), zone, digest_hour: hour });
  const digest = plan === null ? 0 : digestTime(now, plan);
  if (digest > now - WEEK) {
    const held = isQuiet(quiet, digest, zone) ? words.afterQuiet : null;
    entries.push({ time: new Date(digest).toISOString(), text: texts.buttons.usage, held });
  }
  return entries;
}

async function isFailed(client: Run['client'], task: string): Promise<boolean> {
  return client.getTask({ id: task, first: 0, wait: 0 }).then(
    ({ finished, code, end_reason }) => finished && code !== 0 && end_reason !== 'cancelled',
    () => false,
  );
}
