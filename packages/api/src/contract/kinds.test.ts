import { expect, test } from 'vitest';
import { appModeLabel, countsUse, engineOf, findKind, kindLabel, kinds, kindsOf } from './kinds.ts';
import { APP_MODES, APP_MODES_GA } from './operations/index.ts';

test('every app_mode of the contract but unknown has a kind, and kinds that share one are served alike', () => {
  for (const mode of APP_MODES.filter((name) => name !== 'unknown')) {
    const sharing = kindsOf(mode);
    expect(sharing).not.toEqual([]);
    expect(new Set(sharing.map(({ engine }) => engine)).size).toBe(1);
    expect(new Set(sharing.map(({ noun }) => noun)).size).toBe(1);
  }
});

test('today’s servers answer the word of the manifest, and that is a label, too', () => {
  const words = kinds.map(({ appmode }) => appmode);
  expect(new Set(APP_MODES_GA), 'APP_MODES_GA in operations/content.ts').toEqual(
    new Set([...words, 'unknown']),
  );
  expect(appModeLabel('python-fastapi')).toBe('FastAPI application');
  expect(engineOf('python-api')).toBe('application');
});

test('applications have a tag for their jobs, and nothing else has', () => {
  for (const { engine, tag } of kinds) expect(tag !== undefined).toBe(engine === 'application');
});

test('use is counted of all but APIs and models', () => {
  const uncounted = kinds.filter(({ appmode }) => !countsUse(appmode)).map(({ noun }) => noun);
  expect(new Set(uncounted)).toEqual(new Set(['API', 'model']));
  expect(['api', 'shiny', 'static', 'rmd-static', 'unknown'].map(countsUse)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});

test('labels', () => {
  expect(kinds.map(({ appmode }) => `${appmode}: ${kindLabel(appmode)}`)).toMatchInlineSnapshot(`
    [
      "shiny: Shiny application",
      "api: Plumber API",
      "python-fastapi: FastAPI application",
      "python-api: Python API",
      "python-shiny: Shiny for Python application",
      "python-streamlit: Streamlit application",
      "python-dash: Dash application",
      "python-gradio: Gradio application",
      "python-panel: Panel application",
      "python-bokeh: Bokeh application",
      "python-marimo: marimo notebook",
      "rmd-static: R Markdown document",
      "rmd-shiny: Interactive R Markdown document",
      "quarto-static: Quarto document",
      "jupyter-voila: Voila notebook",
      "jupyter-static: Jupyter notebook",
      "static: Web page",
      "nodejs: Node.js application",
      "program: Program",
      "tensorflow-saved-model: TensorFlow model",
    ]
  `);
  expect(APP_MODES.map((mode) => `${mode}: ${appModeLabel(mode)}`)).toMatchInlineSnapshot(`
    [
      "rmd-static: R Markdown document",
      "shiny: Shiny application",
      "rmd-shiny: Interactive R Markdown document",
      "static: Web page",
      "api: API",
      "jupyter-static: Jupyter notebook",
      "tensorflow-saved-model: TensorFlow model",
      "unknown: unknown",
    ]
  `);
  expect(kindLabel('quarto-shiny')).toBe('quarto-shiny');
});

test('how content of an app_mode is served', () => {
  expect(['static', 'rmd-static', 'api', 'unknown'].map(engineOf)).toEqual([
    'files',
    'document',
    'application',
    undefined,
  ]);
  expect(findKind('python-api')).toMatchObject({ app_mode: 'api', language: 'Python' });
  expect(findKind('toString')).toBeUndefined();
});
