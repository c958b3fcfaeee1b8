// The usage picture for sharing: figures, trend, busiest content and people. vega-lite → SVG → PNG, with bundled fonts.
// White background with a margin, for dark mode.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { UsageSummary } from '@pressroom/api/usage';
import { line } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import { chartPoints, trendText } from './blocks.ts';
import { usageTexts } from './texts.ts';

const FONTS = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');
const FONT = 'DejaVu Sans';
const WIDTH = 760;
/** Bars of a ranking, and characters of their labels. */
const RANKED = 5;
const LABEL = 40;
const COLOURS = { visits: '#1264a3', sessions: '#e8912d', up: '#1a7f4b', down: '#b3261e', quiet: '#5f6368' };

export interface Ranked {
  readonly name: string;
  readonly count: number;
}

export interface UsagePicture {
  readonly about: string;
  readonly last: string;
  /** By day or week. */
  readonly summary: UsageSummary;
  readonly contents: readonly Ranked[];
  readonly people: readonly Ranked[];
}

/** A PNG. Libraries are loaded for the first picture: most bots never draw one. */
export async function drawUsage(picture: UsagePicture, texts: Texts): Promise<Buffer> {
  const [{ compile }, vega, { Resvg }] = await Promise.all([
    import('vega-lite'),
    import('vega'),
    import('@resvg/resvg-js'),
  ]);
  const { spec } = compile(specOf(picture, texts) as unknown as Parameters<typeof compile>[0]);
  const drawing = new vega.View(vega.parse(spec), { renderer: 'none' });
  try {
    const svg = await drawing.toSVG(2);
    const font = {
      fontFiles: ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) => join(FONTS, name)),
      // Otherwise text is silently missing on machines without fonts.
      loadSystemFonts: false,
      defaultFontFamily: FONT,
    };
    return Buffer.from(new Resvg(svg, { font, background: '#ffffff' }).render().asPng());
  } finally {
    drawing.finalize();
  }
}

function specOf(picture: UsagePicture, texts: Texts): object {
  const { about, last, contents, people } = picture;
  const usage = usageTexts(texts);
  const rankings = [
    ...(contents.length > 1 ? [ranking(usage.mostVisited, contents, texts)] : []),
    ...(people.length > 0 ? [ranking(usage.mostActive, people, texts)] : []),
  ];
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    title: {
      text: line(usage.title(about), 60),
      subtitle: usage.period(line(last, 20)),
      fontSize: 20,
      anchor: 'start',
      offset: 12,
    },
    padding: 24,
    spacing: 24,
    resolve: { scale: { color: 'independent' }, legend: { color: 'independent' } },
    config: {
      font: FONT,
      view: { stroke: null },
      title: { subtitleColor: COLOURS.quiet, subtitleFontSize: 13, color: '#202124' },
      axis: { grid: true, gridColor: '#e6e6e6', domainColor: '#999999', labelFontSize: 12 },
    },
    vconcat: [
      figures(picture, texts),
      trend(picture, texts),
      ...(rankings.length === 0 ? [] : [{ hconcat: rankings, spacing: 40 }]),
    ],
  };
}

/** Figures in a row; the change is coloured by its direction. */
function figures({ summary }: UsagePicture, texts: Texts): object {
  const { words, number, span } = texts;
  const usage = usageTexts(texts);
  const colour = summary.trend === null ? COLOURS.quiet : summary.trend < 0 ? COLOURS.down : COLOURS.up;
  const values = [
    { label: words.visits, value: number(summary.visits), colour: '#202124' },
    { label: words.sessions, value: number(summary.sessions), colour: '#202124' },
    { label: words.people, value: number(summary.unique_users), colour: '#202124' },
    { label: usage.sessionTime, value: span(summary.session_time / 1000), colour: '#202124' },
    { label: usage.comparedWith, value: trendText(summary, texts).replace(/ \(.*/, ''), colour },
  ].map((figure, place) => ({ ...figure, place }));
  const at = (field: string, size: number, y: number, more: object) => ({
    mark: { type: 'text', align: 'left', fontSize: size, ...more },
    encoding: {
      x: { field: 'place', type: 'quantitative', axis: null, scale: { domain: [0, values.length] } },
      y: { value: y },
      text: { field },
      color: { field: 'colour', type: 'nominal', scale: null },
    },
  });
  return {
    width: WIDTH,
    height: 48,
    data: { values },
    layer: [at('value', 16, 14, { fontWeight: 'bold' }), at('label', 11, 38, { color: COLOURS.quiet })],
  };
}

function trend({ summary }: UsagePicture, texts: Texts): object {
  const { points } = chartPoints({ summary, names: new Map() }, texts);
  const kinds = (['visits', 'sessions'] as const).filter((kind) => summary[kind] > 0);
  const values = points.flatMap((point) =>
    kinds.map((kind) => ({ label: point.label, kind: texts.words[kind], count: point[kind] })),
  );
  return {
    width: WIDTH,
    height: 220,
    data: { values },
    mark: { type: 'bar', cornerRadiusEnd: 2 },
    encoding: {
      x: { field: 'label', type: 'ordinal', sort: null, title: null, axis: { labelAngle: -45, grid: false } },
      y: { field: 'count', type: 'quantitative', title: null, axis: { format: 'd', tickMinStep: 1 } },
      color: {
        field: 'kind',
        type: 'nominal',
        title: null,
        legend: { orient: 'top' },
        scale: { domain: kinds.map((kind) => texts.words[kind]), range: kinds.map((kind) => COLOURS[kind]) },
      },
    },
  };
}

function ranking(title: string, ranked: readonly Ranked[], { number }: Texts): object {
  const values = ranked.slice(0, RANKED).map(({ name, count }, i) => ({
    // Labels must differ in their visible part.
    label: `${i + 1}. ${line(name, LABEL)}`,
    count,
    text: number(count),
  }));
  const row = { field: 'label', type: 'ordinal', sort: null, axis: null };
  const bar = { y: row, x: { field: 'count', type: 'quantitative', axis: null } };
  // Labels are above their bars: next to them, they would shift the whole picture.
  const above = { y: row, x: { value: 0 }, text: { field: 'label' } };
  return {
    title: { text: title, fontSize: 13, anchor: 'start' },
    width: 300,
    height: { step: 40 },
    data: { values },
    layer: [
      { mark: { type: 'text', align: 'left', dy: -7, fontSize: 12 }, encoding: above },
      {
        mark: { type: 'bar', cornerRadiusEnd: 2, color: COLOURS.visits, height: 8, yOffset: 9 },
        encoding: bar,
      },
      {
        mark: { type: 'text', align: 'left', dx: 5, dy: 9, fontSize: 12 },
        encoding: { ...bar, text: { field: 'text' } },
      },
    ],
  };
}
