import { expect, test } from 'vitest';
import { appModeLabel, countsUse, engineOf, findKind, kindLabel, kinds, kindsOf } from './find-kind.ts';
import { APP_MODES } from './kind-row.ts';
import { APP_MODES_GA, numberOfKind } from './kinds.ts';

test('every app_mode but unknown has kinds, which share one engine and noun', () => {
  for (const mode of APP_MODES.filter((name) => name !== 'unknown')) {
    const sharing = kindsOf(mode);
    expect(sharing).not.toEqual([]);
    expect(new Set(sharing.map(({ engine }) => engine)).size).toBe(1);
    expect(new Set(sharing.map(({ noun }) => noun)).size).toBe(1);
  }
});

test('app modes of GA servers are words of the manifest and have labels', () => {
  expect(new Set(APP_MODES_GA).size).toBe(APP_MODES_GA.length);
  expect(APP_MODES_GA).toEqual(expect.arrayContaining(['unknown', 'python-fastapi', 'quarto-static']));
  expect(appModeLabel('python-fastapi')).toBe('FastAPI application');
  expect(engineOf('python-api')).toBe('application');
});

test('applications and documents have a tag for jobs that says whether they run or are built', () => {
  const verbs = { application: 'run', document: 'build', files: undefined };
  for (const { engine, tag } of kinds) expect(tag?.split('_')[0]).toBe(verbs[engine]);
});

test('usage of everything but APIs and models is counted', () => {
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

test('app modes have labels in English and German', () => {
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
  expect(APP_MODES.map((mode) => appModeLabel(mode, 'de'))).toMatchInlineSnapshot(`
    [
      "R-Markdown-Dokument",
      "Shiny-Anwendung",
      "Interaktives R-Markdown-Dokument",
      "Webseite",
      "API",
      "Jupyter-Notebook",
      "TensorFlow-Modell",
      "unknown",
    ]
  `);
  expect(kindLabel('python-fastapi', 'de')).toBe('FastAPI-Anwendung');
  expect(kindLabel('quarto-shiny')).toBe('quarto-shiny');
});

test('engineOf and findKind return how content is served', () => {
  expect(['static', 'rmd-static', 'api', 'unknown'].map(engineOf)).toEqual([
    'files',
    'document',
    'application',
    undefined,
  ]);
  expect(findKind('python-api')).toMatchObject({ app_mode: 'api', language: 'Python' });
  expect(findKind('toString')).toBeUndefined();
});

test('kinds have the numbers of older clients; others are unknown to them', () => {
  expect(['static', 'jupyter-static', 'python-fastapi'].map(numberOfKind)).toEqual([4, 7, 12]);
  expect(['unknown', 'program', 'python-marimo'].map(numberOfKind)).toEqual([0, 0, 0]);
});
