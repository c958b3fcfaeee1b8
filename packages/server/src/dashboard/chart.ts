// Charts of visits and sessions by day: as a picture with a table for screen readers, and as a sparkline.
import { html, type Html } from './html.ts';
import { table } from './parts.ts';

export interface Day {
  /** Such as 2026-11-21. */
  readonly date: string;
  readonly visits: number;
  readonly sessions: number;
}

const WIDTH = 720;
const HEIGHT = 160;
/** Space around the bars for the axis and the marks of days. */
const MARGIN = 5;

export interface Mark {
  /** Such as 2026-11-21. */
  readonly date: string;
  readonly label: string;
}

/** @param marks label days, for example when another version went live */
export function usageChart(days: readonly Day[], marks: readonly Mark[] = []): Html {
  const busiest = Math.max(0, ...days.map((day) => day.visits + day.sessions));
  // Keeps the scale finite when all days are empty.
  const most = Math.max(1, busiest);
  const width = WIDTH / days.length;
  const bars = days.map(({ date, visits, sessions }, i) => {
    const [low, high] = [(visits / most) * HEIGHT, (sessions / most) * HEIGHT];
    const x = (i * width + 1).toFixed(1);
    const bar = (y: number, height: number, kind: string) =>
      html`<rect
        class="${kind}"
        x="${x}"
        y="${y.toFixed(1)}"
        width="${(width - 2).toFixed(1)}"
        height="${height.toFixed(1)}"
      />`;
    const label = html`<title>${date}: ${visits} visits, ${sessions} sessions</title>`;
    return html`<g
      >${label}${bar(HEIGHT - low, low, 'visits')}${bar(HEIGHT - low - high, high, 'sessions')}</g
    >`;
  });
  const at = new Map(days.map(({ date }, i) => [date, (i + 0.5) * width]));
  const flags = [...Map.groupBy(marks, ({ date }) => date)].flatMap(([date, labels]) => {
    const x = at.get(date)?.toFixed(1);
    const text = `${date}: ${labels.map(({ label }) => label).join(', ')}`;
    return x === undefined
      ? []
      : [
          html`<g class="mark"
            ><title>${text}</title><line x1="${x}" y1="0" x2="${x}" y2="${HEIGHT}" /><circle
              cx="${x}"
              cy="0"
              r="4"
          /></g>`,
        ];
  });
  const total = days.reduce((sum, day) => sum + day.visits + day.sessions, 0);
  const [from, to] = [days.at(0)?.date ?? '', days.at(-1)?.date ?? ''];
  const about =
    total === 0
      ? `Nobody visited from ${from} to ${to}`
      : `Visits and sessions from ${from} to ${to}: ${total}, on the busiest day ${busiest}`;
  const seen = days.filter((day) => day.visits + day.sessions > 0);
  const rows = seen.map((day) => [day.date, String(day.visits), String(day.sessions)]);
  // Labels are no part of the picture, which a phone shows at half its size.
  return html`<figure class="chart">
      ${total > 0 && html`<p class="scale" aria-hidden="true">${busiest}</p>`}
      <svg viewBox="0 ${-MARGIN} ${WIDTH} ${HEIGHT + 2 * MARGIN}" role="img" aria-label="${about}">
        ${bars}${flags}
        <line class="axis" x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}" />
      </svg>
      <p class="scale" aria-hidden="true"><span>${from}</span><span>${to}</span></p>
      <figcaption>
        ${about}. <span class="key visits">Visits</span> <span class="key sessions">Sessions</span>
        ${flags.length > 0 && html`<span class="key mark">New version</span>`}
      </figcaption>
    </figure>
    <details>
      <summary>As a table</summary>
      ${table('Usage by day', ['Day', 'Visits', 'Sessions'], rows)}
    </details>`;
}

const SPARK = { width: 84, height: 20 };

/** A number with its daily history. @param days visits of each, oldest first */
export function sparkline(days: readonly number[]): Html {
  const total = days.reduce((sum, visits) => sum + visits, 0);
  if (total === 0) return html`<span class="quiet">0</span>`;
  const most = Math.max(...days);
  const step = SPARK.width / (days.length - 1);
  const points = days.map(
    (visits, i) =>
      `${(i * step).toFixed(1)},${(SPARK.height - 1 - (visits / most) * (SPARK.height - 2)).toFixed(1)}`,
  );
  return html`<span class="spark"
    >${total}
    <svg viewBox="0 0 ${SPARK.width} ${SPARK.height}" aria-hidden="true">
      <polyline points="${points.join(' ')}" /></svg
  ></span>`;
}
