// `usage`: summed up with progress, shown as a native chart, else as a picture, and always as a table.
import { summarizeUsage, type ContentItem, type UsageBy, type UsageSummary } from '@pressroom/api';
import { parseDuration } from '../line/parse.ts';
import { titleOf } from '../status/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { progressMessage, usageMessage, type UsageView } from './blocks.ts';
import { drawUsage } from './chart.ts';
import { listContent, nameOf, resolveContent, type Run, type Runner } from '../shared/find-content.ts';
import { slackFailure, SlackFailure } from '../../deliver/slack-failure.ts';

/** Milliseconds between two words of progress. */
const PROGRESS_STEP = 2500;
const NAMES_LOOKED_UP = 31;

export const usage: Runner = async (run) => {
  const { command, services, client, signal } = run;
  const last = String(command.options['last']);
  const by = String(command.options['by']) as UsageBy;
  const me = await client.getCurrentUser({}, { signal });
  let chosen: ContentItem[];
  let about = 'your content';
  if (command.subject === '') {
    chosen = await listContent(run, me.guid);
    if (chosen.length === 0) return note('You own no content.');
  } else {
    const found = await resolveContent(run);
    if ('message' in found) return found.message;
    chosen = [found.content];
    about = titleOf(found.content);
  }
  const to = services.now();
  const from = to - parseDuration(last)! * 1000;
  const summary = await summarizeUsage({
    client,
    contents: chosen.map(({ guid }) => guid),
    from,
    to,
    by,
    signal,
    onProgress: progress(run, about),
  });
  const names = await namesOf(run, chosen, summary);
  const native = (await services.store.readCursor(chartsKey(run))) !== 'refused';
  return show(run, { about, last, summary, names, picture: null, native });
};

function progress({ reply, services }: Run, about: string) {
  let shown = services.now();
  return ({ share, records }: { share: number; records: number }) => {
    if (share >= 1 || reply.progressLeft === 0 || services.now() - shown < PROGRESS_STEP) return;
    shown = services.now();
    // Progress that does not arrive is no reason to stop.
    reply.replace(progressMessage(about, share, records)).catch(() => undefined);
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

/** Remembers a workspace that refuses native charts. */
const chartsKey = ({ asker }: Run) => `charts/${asker.team}`;

async function show(run: Run, view: UsageView): Promise<null> {
  const { reply, services, share, asker } = run;
  if (view.native && view.summary.total > 0) {
    try {
      await reply.replace(usageMessage(view, share));
      return null;
    } catch (error) {
      if (slackFailure(error).word !== 'invalid_blocks') throw error;
      await services.store.saveCursor(chartsKey(run), 'refused');
    }
  }
  let picture: string | null = null;
  try {
    const bytes = view.summary.total === 0 ? null : await drawUsage(view);
    if (bytes) {
      picture = await services.slack.upload({ team: asker.team, name: 'usage.png', title: 'Usage', bytes });
    }
  } catch (error) {
    services.log.warn({ err: error }, 'a chart could not be drawn or uploaded');
  }
  try {
    await reply.replace(usageMessage({ ...view, native: false, picture }, share));
  } catch (error) {
    if (!(error instanceof SlackFailure) || picture === null) throw error;
    await reply.replace(usageMessage({ ...view, native: false, picture: null }, share));
  }
  return null;
}
