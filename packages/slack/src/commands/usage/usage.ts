// `usage`: visits and sessions, as native chart or picture, and always as a table.
import type { ContentItem } from '@pressroom/api/client';
import { countsUse } from '@pressroom/api/contract';
import { summarizeUsage, type UsageBy, type UsageSummary } from '@pressroom/api/usage';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { slackFailure, SlackFailure } from '../../deliver/transport/slack-failure.ts';
import type { Command, Run } from '../command.ts';
import { startOf } from '../line/duration.ts';
import { textOption } from '../line/parsed-command.ts';
import { listContent, mayChange, nameOf, resolveContent } from '../shared/find-content.ts';
import { progressMessage, usageMessage, type UsageView } from './blocks.ts';
import { drawUsage, type UsagePicture } from './chart.ts';
import { usageTexts } from './texts.ts';

/** Milliseconds between two progress messages. */
const PROGRESS_STEP = 2500;
/** Milliseconds until charts are tried again in a workspace that refused them. */
const CHARTS_AGAIN = 24 * 3_600_000;
const NAMES_LOOKED_UP = 31;
/** Maximum people in a picture. */
const RANKED = 5;
const BY = ['day', 'week', 'user'] as const satisfies readonly UsageBy[];

export const usage: Command = {
  texts: usageTexts,
  syntax: {
    usage: 'usage [content] [--last 30d] [--by day|week|user] [--picture]',
    examples: ['usage sales-report --last 90d --by week', 'usage --picture'],
    subject: 'optional',
    options: {
      last: { type: 'duration', default: '30d' },
      by: { type: 'choice', values: BY, default: 'day' },
      picture: { type: 'flag' },
    },
  },
  account: 'any',
  // Long: it shows progress while reading many records.
  timeout: 10 * 60_000,
  async run(run) {
    const { command, services, client, signal, texts } = run;
    const last = textOption(command, 'last') ?? '30d';
    const by = BY.find((value) => value === command.options['by']) ?? 'day';
    const me = await client.getCurrentUser({}, { signal });
    let chosen: ContentItem[];
    let about = usageTexts(texts).yourContent;
    if (command.subject === '') {
      chosen = await listContent(run, me.guid);
      if (chosen.length === 0) return note(usageTexts(texts).ownNone);
    } else {
      const found = await resolveContent(run);
      if ('message' in found) return found.message;
      chosen = [found.content];
      about = titleOf(found.content);
      if (!mayChange(found.content, me)) return note(usageTexts(texts).onlyCollaborators(inline(about)));
      if (!countsUse(found.content.app_mode)) return note(usageTexts(texts).uncounted(inline(about)));
    }
    const to = services.now();
    const contents = chosen.map(({ guid }) => guid);
    const onProgress = progress(run, about);
    const summary = await summarizeUsage({
      client,
      contents,
      from: startOf(last, to),
      to,
      by,
      signal,
      onProgress,
    });
    const names = await namesOf(run, chosen, summary);
    const refused = Number((await services.store.readCursor(chartsKey(run))) ?? 0);
    const native = command.options['picture'] !== true && !(services.now() - refused < CHARTS_AGAIN);
    const sumUp = (other: UsageBy) =>
      summarizeUsage({ client, contents, from: startOf(last, to), to, by: other, signal });
    return show(run, { about, last, summary, names, picture: null, native }, sumUp);
  },
};

function progress({ reply, services, texts }: Run, about: string) {
  let shown = services.now();
  return ({ share, records }: { share: number; records: number }) => {
    if (share >= 1 || reply.progressLeft === 0 || services.now() - shown < PROGRESS_STEP) return;
    shown = services.now();
    // The response follows even if this fails.
    reply.replace(progressMessage(about, share, records, texts)).catch(() => undefined);
  };
}

async function namesOf(run: Run, chosen: readonly ContentItem[], summary: UsageSummary) {
  const names = new Map(chosen.map((item) => [item.guid, titleOf(item)]));
  if (summary.by !== 'user') return names;
  const guids = summary.series.slice(0, NAMES_LOOKED_UP).map(({ key }) => key);
  const found = await Promise.all(guids.map(async (guid) => [guid, await nameOf(run, guid)] as const));
  for (const [guid, name] of found) if (name !== null) names.set(guid, name);
  return names;
}

/** By time and by person: whichever the response lacks is read for the picture. */
async function pictureOf(
  run: Run,
  { about, last, summary, names }: UsageView,
  sumUp: (by: UsageBy) => Promise<UsageSummary>,
): Promise<UsagePicture> {
  const byUser = summary.by === 'user' ? summary : await sumUp('user');
  const overTime = summary.by === 'user' ? await sumUp('day') : summary;
  const busiest = byUser.series.filter(({ key }) => !/^0{8}-/.test(key)).slice(0, RANKED);
  const people = await Promise.all(
    busiest.map(async ({ key, visits, sessions }) => ({
      name: names.get(key) ?? (await nameOf(run, key)) ?? key,
      count: visits + sessions,
    })),
  );
  const contents = summary.contents.map(({ guid, count }) => ({ name: names.get(guid) ?? guid, count }));
  return { about, last, summary: overTime, contents, people };
}

/** When a workspace last refused a native chart, in milliseconds. */
const chartsKey = ({ invoker }: Run) => `charts/${invoker.team}`;

async function show(run: Run, view: UsageView, sumUp: (by: UsageBy) => Promise<UsageSummary>): Promise<null> {
  const { reply, services, share, invoker, texts } = run;
  let refused = false;
  if (view.native && view.summary.total > 0) {
    try {
      await reply.replace(usageMessage(view, share, texts));
      return null;
    } catch (error) {
      if (slackFailure(error).word !== 'invalid_blocks') throw error;
      refused = true;
    }
  }
  let picture: string | null = null;
  try {
    const bytes = view.summary.total === 0 ? null : await drawUsage(await pictureOf(run, view, sumUp), texts);
    if (bytes) {
      picture = await services.slack.upload({
        team: invoker.team,
        name: 'usage.png',
        title: texts.buttons.usage,
        bytes,
      });
    }
  } catch (error) {
    services.log.warn({ err: error }, 'a chart could not be drawn or uploaded');
  }
  try {
    await reply.replace(usageMessage({ ...view, native: false, picture }, share, texts));
  } catch (error) {
    if (!(error instanceof SlackFailure) || picture === null) throw error;
    await reply.replace(usageMessage({ ...view, native: false, picture: null }, share, texts));
  }
  // Stored now that the chart is known to be the reason.
  if (refused) await services.store.saveCursor(chartsKey(run), String(services.now()));
  return null;
}
