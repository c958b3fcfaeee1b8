import { expect, test } from 'vitest';
import { bundleText, commitOf } from './bundle-text.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const bundle = {
  id: '7',
  content_guid: 'aaaaaaaa-0000-4000-8000-000000000001',
  created_time: '2026-03-01T11:00:00Z',
  r_version: null,
  py_version: null,
  active: true,
  size: 2500,
};
const made = {
  ...bundle,
  metadata: {
    source: 'git',
    source_commit: '0123456789abcdef0123456789abcdef01234567',
    source_subject: 'Count by region',
    source_author: 'Ada',
  },
};

test('shows the commit of a bundle', () => {
  expect(bundleText(made, 'active', NOW)).toBe('active · 0123456 Count by region · 1 h ago · 2.5 kB');
  expect(commitOf(made)).toEqual({
    sha: made.metadata.source_commit,
    subject: 'Count by region',
    author: 'Ada',
  });
});

test('a subject cannot reorder the text beside it', () => {
  const odd = { ...made, metadata: { ...made.metadata, source_subject: 'Count \u202Enoiger yb' } };
  expect(commitOf(odd)?.subject).toBe('Count noiger yb');
});

test('truncates a long subject and omits a missing one', () => {
  const long = { ...made, metadata: { ...made.metadata, source_subject: 'x'.repeat(200) } };
  expect(bundleText(long, undefined, NOW)).toMatch(/^0123456 x{49}… · 1 h ago/);
  const none = { ...made, metadata: { source_commit: made.metadata.source_commit } };
  expect(bundleText(none, undefined, NOW)).toBe('0123456 · 1 h ago · 2.5 kB');
});

test.each([{}, { metadata: null }, { metadata: { archive_md5: 'x' } }, { metadata: { source_commit: 7 } }])(
  'shows no commit of an uploaded bundle or an invalid response: %j',
  (fields) => {
    expect(commitOf({ ...bundle, ...fields })).toBeUndefined();
    expect(bundleText({ ...bundle, ...fields }, undefined, NOW)).toBe('1 h ago · 2.5 kB');
  },
);

test('has nothing about time and size that a server leaves out', () => {
  const { created_time: _time, size: _size, ...bare } = bundle;
  const left = bare as unknown as typeof bundle;
  expect(bundleText(left, 'active', NOW)).toBe('active');
  expect(bundleText({ ...left, created_time: 'soon', size: 0 }, undefined, NOW)).toBe('0 bytes');
});
