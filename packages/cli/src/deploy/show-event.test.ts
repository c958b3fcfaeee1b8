// Covers what a deploy prints: CI reads the address from it.
import { BundleError, type DeployEvent } from '@pressroom/api/publish';
import { expect, test } from 'vitest';
import { createTerminal } from '../terminal/terminal.ts';
import { showText } from './show-event.ts';

test('prints the address in one line: others would set variables of a pipeline', () => {
  let printed = '';
  const stdout = { write: (text: string) => (printed += text) };
  const terminal = createTerminal({ stdout, stderr: { write: () => undefined }, now: () => 0 });
  const url = 'https://example.com/\nLD_PRELOAD=/tmp/x.so';
  const event = { type: 'done', bundle_id: '1', content: { guid: 'g' }, url } as unknown as DeployEvent;
  showText(terminal, event, { wanted: undefined, dryRun: false, sent: 0, hint: String });
  expect(printed.trimEnd()).not.toContain('\n');
});

test('tells how to publish a file that was given in place of its directory', () => {
  let said = '';
  const stderr = { write: (text: string) => (said += text) };
  const terminal = createTerminal({ stdout: { write: () => undefined }, stderr, now: () => 0 });
  const failure = new BundleError('not-a-directory', 'no', { paths: ['/home/ada/my report.Rmd'] });
  const event = { type: 'failed', code: null, error: 'no', hint: '', cause: null, left: [], failure };
  showText(terminal, event as unknown as DeployEvent, {
    wanted: undefined,
    dryRun: false,
    sent: 0,
    hint: String,
  });
  expect(said).toContain("To publish this file, name it with --entrypoint 'my report.Rmd'.");
});

test('tells that a dry run writes no requirements.txt', () => {
  let said = '';
  const stderr = { write: (text: string) => (said += text) };
  const terminal = createTerminal({ stdout: { write: () => undefined }, stderr, now: () => 0 });
  const failure = new BundleError('requirements-missing', 'no');
  const event = { type: 'failed', code: null, error: 'no', hint: '', cause: null, left: [], failure };
  showText(terminal, event as unknown as DeployEvent, {
    wanted: undefined,
    dryRun: true,
    sent: 0,
    hint: String,
  });
  expect(said).toContain('With --write-requirements and without --dry-run, this command writes one.');
});

test('names the content whose record could not be written: another deploy would create content again', () => {
  let said = '';
  const stderr = { write: (text: string) => (said += text) };
  const terminal = createTerminal({ stdout: { write: () => undefined }, stderr, now: () => 0 });
  const state = { wanted: undefined, dryRun: false, sent: 0, hint: String };
  const warning = { type: 'warning', message: 'no room', isAboutRecord: true } as const;
  showText(terminal, { type: 'target', guid: 'G', name: 'site', created: true }, state);
  showText(terminal, { type: 'warning', message: 'something else' }, state);
  expect(said).not.toContain('--guid');
  showText(terminal, warning, state);
  expect(said).toMatch(/no room\nWithout it, name the content when you deploy again: --guid G\n$/);
});
