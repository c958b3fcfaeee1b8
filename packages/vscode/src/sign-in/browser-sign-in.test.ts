import { expect, test } from 'vitest';
import { ownPage } from './browser-sign-in.ts';

test('accepts a sign-in page only on the server itself', () => {
  const server = 'https://a.example.com/connect';
  const page = 'https://a.example.com/connect/__dashboard__/device?code=BCDF-GHJK';
  expect(ownPage(server, page).toString()).toBe(page);
  for (const other of [
    'http://a.example.com/connect/__dashboard__/device',
    'https://a.example.com:8443/x',
    'https://a.example.com.evil.example/',
    'https://a.example.com@evil.example/',
    'vscode://evil.extension/x',
    'command:workbench.action.terminal.new',
    'javascript:alert(1)',
    '/relative',
    '',
  ]) {
    expect(() => ownPage(server, other), other).toThrow('not on this server');
  }
});
