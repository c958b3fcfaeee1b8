import { expect, test } from 'vitest';
import type { ContentView } from './content-candidate.ts';
import { detectFiles } from './detect-file.ts';

const row = {
  appmode: 'python-streamlit',
  detection: {
    by: 'file',
    name: /\.py$/,
    text: /^import streamlit\b/m,
    usual: /^app\.py$/,
    why: 'a Streamlit application',
    sign: 'an import',
  },
} as const;

function viewOf(files: Readonly<Record<string, string>>): ContentView {
  const names = new Set(Object.keys(files));
  return { names, paths: names, text: (name) => files[name] ?? '' };
}

test('detects a kind by one row of the table', () => {
  expect(detectFiles(viewOf({ 'app.py': 'import streamlit as st\n' }), [row])).toEqual([
    {
      appmode: 'python-streamlit',
      contentCategory: '',
      primary: 'app.py',
      entrypoint: 'app.py',
      hasParameters: false,
      confidence: 0.9,
      why: 'app.py is a Streamlit application.',
      reason: { code: 'file', args: ['app.py', 'python-streamlit'] },
    },
  ]);
});

test('prefers the usual name among several, and ignores a file without the text', () => {
  const files = { 'a.py': 'import streamlit\n', 'app.py': 'import streamlit\n', 'b.py': 'import os\n' };
  const found = detectFiles(viewOf(files), [row]).map(({ primary, confidence }) => [primary, confidence]);
  expect(found).toEqual([
    ['a.py', 0.7],
    ['app.py', 0.85],
  ]);
});
