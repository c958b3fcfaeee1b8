// Visits and sessions by day, as a picture with a table behind it.
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

export function usageChart(days: readonly Day[]): Html {
  const most = Math.max(1, ...days.map((day) => day.visits + day.sessions));
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
  const total = days.reduce((sum, day) => sum + day.visits + day.sessions, 0);
  const about = `${total} visits and sessions from ${days.at(0)?.date} to ${days.at(-1)?.date}, ${most} on the busiest day`;
  const seen = days.filter((day) => day.visits + day.sessions > 0);
  const rows = seen.map((day) => [day.date, String(day.visits), String(day.sessions)]);
  return html`<figure class="chart">
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${about}">${bars}</svg>
      <figcaption>
        ${about}. <span class="key visits">Visits</span> <span class="key sessions">Sessions</span>
      </figcaption>
    </figure>
    <details>
      <summary>As a table</summary>
      ${table('Usage by day', ['Day', 'Visits', 'Sessions'], rows)}
    </details>`;
}
