// Messages of `usage`: totals, trend, a chart if Slack supports it, and a table.
import type { UsageSummary } from '@pressroom/api/usage';
import {
  actions,
  button,
  context,
  fields,
  section,
  shareButton,
  table,
  type AnyBlock,
  type ChartBlock,
  type Message,
} from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { usageTexts } from './texts.ts';

export interface UsageView {
  readonly about: string;
  readonly last: string;
  readonly summary: UsageSummary;
  /** Names of people and content by GUID, as far as the invoker may see them. */
  readonly names: ReadonlyMap<string, string>;
  /** The uploaded picture, if Slack refuses native charts; null for none. */
  readonly picture: string | null;
  readonly native: boolean;
}

const ANONYMOUS = '00000000-0000-0000-0000-000000000000';
/** Maximum rows of the table; a chart shows fewer. */
const ROWS = 31;

export function usageMessage(view: UsageView, share: string, texts: Texts): Message {
  const { about, last, summary, names } = view;
  const { words } = texts;
  const usage = usageTexts(texts);
  const nameOf = (guid: string) => (guid === ANONYMOUS ? words.anonymous : (names.get(guid) ?? guid));
  const rows = pointsOf(view, texts).map(({ label, visits, sessions }) => [
    label,
    texts.number(visits),
    texts.number(sessions),
  ]);
  const busiest = summary.contents
    .slice(0, 5)
    .map(({ guid, count: seen }) => `${inline(nameOf(guid), 60)} (${texts.number(seen)})`);
  return fit({
    text: usage.text(inline(about), summary.total, inline(last)),
    blocks: [
      section(usage.headline(inline(about), inline(last))),
      fields([
        [words.visits, texts.number(summary.visits)],
        [words.sessions, texts.number(summary.sessions)],
        [words.people, texts.number(summary.unique_users)],
        [words.anonymousVisits, texts.number(summary.anonymous)],
        [usage.comparedWith, trendText(summary, texts)],
        [usage.sessionTime, texts.span(summary.session_time / 1000)],
      ]),
      ...chartBlocks(view, texts),
      ...(busiest.length > 1 ? [context(`${usage.mostVisited}: ${busiest.join(', ')}`)] : []),
      // Of no use at all, a row of zeros for each day says nothing.
      ...(rows.length > 0 && summary.total > 0
        ? [
            table([
              [
                summary.by === 'user' ? words.user : summary.by === 'week' ? words.week : words.day,
                words.visits,
                words.sessions,
              ],
              ...rows,
            ]),
          ]
        : []),
      ...(summary.series.length > ROWS ? [context(usage.showing(ROWS, summary.series.length))] : []),
      actions(
        shareButton(share, texts),
        ...(view.picture === null && summary.total > 0
          ? [button('run:picture', usage.picture, `${share} --picture`)]
          : []),
      ),
    ],
  });
}

function chartBlocks(view: UsageView, texts: Texts): AnyBlock[] {
  const { picture, native, about, last, summary, names } = view;
  if (picture !== null) {
    return [
      {
        type: 'image',
        slack_file: { id: picture },
        alt_text: alternativeOf({ about, last, summary }, texts),
      },
    ];
  }
  return native && summary.visits + summary.sessions > 0 ? [chartOf({ about, summary, names }, texts)] : [];
}

/** Alternative text of the picture. */
function alternativeOf(
  { about, last, summary }: Pick<UsageView, 'about' | 'last' | 'summary'>,
  texts: Texts,
): string {
  const { total, unique_users } = summary;
  return usageTexts(texts).alternative(
    line(about),
    line(last),
    total,
    unique_users,
    trendText(summary, texts),
  );
}

/** Points of a chart or table: the newest days, or the busiest people. */
export function pointsOf({ summary, names }: Pick<UsageView, 'summary' | 'names'>, { words }: Texts) {
  const chosen = summary.by === 'user' ? summary.series.slice(0, ROWS) : summary.series.slice(-ROWS);
  return chosen.map(({ key, visits, sessions }) => ({
    label: line(key === ANONYMOUS ? words.anonymous : (names.get(key) ?? key), 60),
    visits,
    sessions,
  }));
}

/** Maximum points of a chart. */
const POINTS = 20;

/**
 * Points of a chart: the busiest people; or the whole period, with several days or weeks combined if there are too
 * many. `together` is their number.
 */
export function chartPoints({ summary, names }: Pick<UsageView, 'summary' | 'names'>, texts: Texts) {
  if (summary.by === 'user')
    return { points: pointsOf({ summary, names }, texts).slice(0, POINTS), together: 1 };
  const together = Math.max(1, Math.ceil(summary.series.length / POINTS));
  const points: { label: string; visits: number; sessions: number }[] = [];
  for (let i = 0; i < summary.series.length; i += together) {
    const part = summary.series.slice(i, i + together);
    points.push({
      label: line(part[0]?.key ?? '', 60),
      visits: part.reduce((sum, { visits }) => sum + visits, 0),
      sessions: part.reduce((sum, { sessions }) => sum + sessions, 0),
    });
  }
  return { points, together };
}

function chartOf(view: Pick<UsageView, 'about' | 'summary' | 'names'>, texts: Texts): ChartBlock {
  const { by } = view.summary;
  const { points, together } = chartPoints(view, texts);
  // Labels must differ in their visible part.
  const labels = points.map(({ label }, i) =>
    label.length > 20 ? `${label.slice(0, 15)}… ${i + 1}` : label,
  );
  const series = (['visits', 'sessions'] as const)
    .filter((what) => view.summary[what] > 0)
    .map((what) => ({
      name: what === 'visits' ? texts.words.visits : texts.words.sessions,
      data: points.map((point, i) => ({ label: labels[i]!, value: point[what] })),
    }));
  const title = together === 1 ? usageTexts(texts).by[by] : usageTexts(texts).together[by](together);
  return {
    type: 'data_visualization',
    title: line(title, 50),
    chart: { type: by === 'user' ? 'bar' : 'line', series, axis_config: { categories: labels } },
  };
}

/** Change relative to the previous period. */
export function trendText({ trend, previous }: UsageSummary, texts: Texts): string {
  const usage = usageTexts(texts);
  if (trend === null) return usage.noEarlier;
  const percent = Math.round(trend * 100);
  const arrow = percent > 0 ? '↑' : percent < 0 ? '↓' : '→';
  return usage.change(arrow, Math.abs(percent) / 100, previous);
}

/** Shown while many records are read. */
export function progressMessage(about: string, share: number, records: number, texts: Texts): Message {
  const text = usageTexts(texts).loading(inline(about), share, records);
  return fit({ text, blocks: [context(text)] });
}
