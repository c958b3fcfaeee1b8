// What `usage` shows: totals, trend, a chart where Slack takes one, and a table.
import type { UsageSummary } from '@pressroom/api/usage';
import {
  actions,
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
import { count, inline, line, span } from '../../blocks/text.ts';

export interface UsageView {
  readonly about: string;
  readonly last: string;
  readonly summary: UsageSummary;
  /** Names of people and content by GUID, as far as the asker may see them. */
  readonly names: ReadonlyMap<string, string>;
  /** The uploaded picture, where Slack refuses native charts; null for none. */
  readonly picture: string | null;
  readonly native: boolean;
}

const ANONYMOUS = '00000000-0000-0000-0000-000000000000';
/** Rows of the table; a chart shows fewer. */
const ROWS = 31;

export function usageMessage(view: UsageView, share: string): Message {
  const { about, last, summary, names } = view;
  const nameOf = (guid: string) => (guid === ANONYMOUS ? 'anonymous' : (names.get(guid) ?? guid));
  const rows = pointsOf(view).map(({ label, visits, sessions }) => [label, String(visits), String(sessions)]);
  const busiest = summary.contents
    .slice(0, 5)
    .map(({ guid, count: seen }) => `${inline(nameOf(guid), 60)} (${seen.toLocaleString('en')})`);
  return fit({
    text: `Usage of ${inline(about)}: ${count(summary.total, 'visit')} in the last ${inline(last)}`,
    blocks: [
      section(`*Usage of ${inline(about)}*, last ${inline(last)}`),
      fields([
        ['Visits', summary.visits.toLocaleString('en')],
        ['Sessions', summary.sessions.toLocaleString('en')],
        ['People', summary.unique_users.toLocaleString('en')],
        ['Anonymous', summary.anonymous.toLocaleString('en')],
        ['Compared with before', trendText(summary)],
        ['Session time', span(summary.session_time / 1000)],
      ]),
      ...chartBlocks(view),
      ...(busiest.length > 1 ? [context(`Most visited: ${busiest.join(', ')}`)] : []),
      ...(rows.length > 0
        ? [
            table([
              [
                summary.by === 'user' ? 'User' : summary.by === 'week' ? 'Week of' : 'Day',
                'Visits',
                'Sessions',
              ],
              ...rows,
            ]),
          ]
        : []),
      ...(summary.series.length > ROWS ? [context(`Showing ${ROWS} of ${summary.series.length}.`)] : []),
      actions(shareButton(share)),
    ],
  });
}

function chartBlocks({ picture, native, about, summary, names }: UsageView): AnyBlock[] {
  if (picture !== null) {
    return [{ type: 'image', slack_file: { id: picture }, alt_text: `Usage of ${line(about)}` }];
  }
  return native && summary.visits + summary.sessions > 0 ? [chartOf({ about, summary, names })] : [];
}

/** The points of a chart or table: the newest days, or the busiest people. */
export function pointsOf({ summary, names }: Pick<UsageView, 'summary' | 'names'>) {
  const chosen = summary.by === 'user' ? summary.series.slice(0, ROWS) : summary.series.slice(-ROWS);
  return chosen.map(({ key, visits, sessions }) => ({
    label: line(key === ANONYMOUS ? 'anonymous' : (names.get(key) ?? key), 60),
    visits,
    sessions,
  }));
}

/** Points that a chart can show. */
const POINTS = 20;

/**
 * The points of a chart: of people the busiest; of time all of it, several days or weeks together where there are too
 * many. `together` is how many.
 */
export function chartPoints({ summary, names }: Pick<UsageView, 'summary' | 'names'>) {
  if (summary.by === 'user') return { points: pointsOf({ summary, names }).slice(0, POINTS), together: 1 };
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

function chartOf(view: Pick<UsageView, 'about' | 'summary' | 'names'>): ChartBlock {
  const { by } = view.summary;
  const { points, together } = chartPoints(view);
  // Labels must differ within what is shown of them.
  const labels = points.map(({ label }, i) =>
    label.length > 20 ? `${label.slice(0, 15)}… ${i + 1}` : label,
  );
  const series = (['visits', 'sessions'] as const)
    .filter((what) => view.summary[what] > 0)
    .map((what) => ({
      name: what === 'visits' ? 'Visits' : 'Sessions',
      data: points.map((point, i) => ({ label: labels[i]!, value: point[what] })),
    }));
  const title = together === 1 ? `Usage by ${by}` : `Usage, ${together} ${by}s together`;
  return {
    type: 'data_visualization',
    title: line(title, 50),
    chart: { type: by === 'user' ? 'bar' : 'line', series, axis_config: { categories: labels } },
  };
}

function trendText({ trend, previous }: UsageSummary): string {
  if (trend === null) return 'no earlier data';
  const percent = Math.round(trend * 100);
  const arrow = percent > 0 ? '↑' : percent < 0 ? '↓' : '→';
  return `${arrow} ${Math.abs(percent).toLocaleString('en')} % (${previous.toLocaleString('en')} before)`;
}

/** Shown while many records are read. */
export function progressMessage(about: string, share: number, records: number): Message {
  const text = `Loading usage of *${inline(about)}*: ${Math.round(share * 100)} %, ${count(records, 'record')}`;
  return fit({ text, blocks: [context(text)] });
}
