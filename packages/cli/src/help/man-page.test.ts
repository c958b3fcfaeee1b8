// Covers the man page: it contains every command, and no help text is read as a roff request.
import { expect, test } from 'vitest';
import { COMMANDS } from '../commands/index.ts';
import { isGroup } from '../find-command.ts';
import { manPage } from './man-page.ts';

test('the man page has every command, topic and exit code', () => {
  const page = manPage(COMMANDS);
  const plain = page.replaceAll('\\-', '-').replaceAll('\\e', '\\');
  for (const command of COMMANDS)
    expect(plain).toContain(`pressroom ${isGroup(command) ? command.name : command.synopsis}`);
  expect(plain).toContain('.SH ENVIRONMENT');
  expect(plain).toContain('CONNECT_API_KEY');
  expect(plain).toMatch(/130 +cancelled/);
  const requests = page.split('\n').filter((line) => /^[.']/.test(line));
  expect(requests.filter((line) => !/^\.(TH|SH|SS|B|I|nf|fi)\b/.test(line))).toEqual([]);
});

test('escapes text that roff would read as a request', () => {
  const run = () => Promise.resolve(0);
  const command = { name: 'x', synopsis: 'x', summary: '.so /etc/passwd', help: ["'br", '\\*x'] };
  const page = manPage([{ ...command, options: {}, positionals: [0, 0], run }]);
  expect(page).toContain("\n\\&.so /etc/passwd.\n.nf\n\\&'br\n\\e*x\n.fi");
});
