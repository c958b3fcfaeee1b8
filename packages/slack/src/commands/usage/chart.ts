// A picture of usage, for workspaces without native charts: vega-lite → SVG → PNG, with fonts that are shipped.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { chartPoints, type UsageView } from './blocks.ts';

const FONTS = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');
const FONT = 'DejaVu Sans';
const WIDTH = 720;

/** A PNG. The libraries are loaded at the first picture: most bots never draw one. */
export async function drawUsage(view: Pick<UsageView, 'summary' | 'names'>): Promise<Buffer> {
  const [{ compile }, vega, { Resvg }] = await Promise.all([
    import('vega-lite'),
    import('vega'),
    import('@resvg/resvg-js'),
  ]);
  const { spec } = compile(chartSpec(view) as unknown as Parameters<typeof compile>[0]);
  const drawing = new vega.View(vega.parse(spec), { renderer: 'none' });
  try {
    const svg = await drawing.toSVG();
    const font = {
      fontFiles: ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) => join(FONTS, name)),
      // Without this all text vanishes silently where the machine has no fonts.
      loadSystemFonts: false,
      defaultFontFamily: FONT,
    };
    return Buffer.from(new Resvg(svg, { font, background: '#ffffff' }).render().asPng());
  } finally {
    drawing.finalize();
  }
}

function chartSpec(view: Pick<UsageView, 'summary' | 'names'>): object {
  const { by } = view.summary;
  const values = chartPoints(view).points.flatMap(({ label, visits, sessions }) => [
    { label: label.slice(0, 30), kind: 'Visits', count: visits },
    { label: label.slice(0, 30), kind: 'Sessions', count: sessions },
  ]);
  return {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    width: WIDTH,
    height: 260,
    padding: 12,
    config: {
      font: FONT,
      view: { stroke: null },
      axis: { grid: true, gridColor: '#e6e6e6', domainColor: '#999999', labelFontSize: 12 },
      range: { category: ['#1264a3', '#e8912d'] },
    },
    data: {
      values: values.filter(({ kind }) => view.summary[kind === 'Visits' ? 'visits' : 'sessions'] > 0),
    },
    mark: { type: 'bar', cornerRadiusEnd: 2 },
    encoding: {
      x: {
        field: 'label',
        type: 'ordinal',
        sort: null,
        title: null,
        axis: { labelAngle: by === 'user' ? -30 : -45 },
      },
      y: { field: 'count', type: 'quantitative', title: null, axis: { format: 'd', tickMinStep: 1 } },
      color: { field: 'kind', type: 'nominal', title: null, legend: { orient: 'top' } },
    },
  };
}
