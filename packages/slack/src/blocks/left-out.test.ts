// Covers messages about what servers leave out, or give in another form: nothing of it keeps a message from Slack.
import type { ContentItem } from '@pressroom/api/client';
import type { AuditEntry, User } from '@pressroom/api/contract';
import { expect, test } from 'vitest';
import { auditMessage } from '../commands/audit/blocks.ts';
import { statusMessage } from '../commands/status/blocks.ts';
import { peopleMessage, personMessage } from '../commands/user/blocks.ts';
import { unfurlBlocks } from '../home/blocks.ts';
import { TEXTS } from '../texts/languages.ts';
import { actions, button } from './blocks.ts';
import { fit } from './fit.ts';
import { fullName } from './names.ts';

const texts = TEXTS.en;
const bare = { guid: 'g', name: 'sales', bundle_id: '1', title: null } as unknown as ContentItem;
const status = {
  content: bare,
  owner: null,
  bundles: [],
  last: null,
  lock: null,
  mayDeploy: true,
  drafts: [],
  release: null,
};
const person = { guid: 'g', username: 'ada' } as unknown as User;

test('content without description, address, type and role', () => {
  const { blocks } = statusMessage(status, '', texts);
  expect(JSON.stringify(blocks)).not.toMatch(/undefined|null/);
  expect(JSON.stringify(unfurlBlocks(bare, null, texts))).not.toMatch(/undefined|null/);
});

test('accounts without names, address and role', () => {
  const shown = { user: person, groups: null, owned: [bare], mayLock: true };
  expect(JSON.stringify(personMessage(shown, '', texts))).not.toMatch(/undefined|null/);
  expect(
    JSON.stringify(peopleMessage({ words: 'ada', found: [person, person], total: 2 }, texts)),
  ).not.toMatch(/undefined|null/);
  expect(fullName({ ...person, first_name: 'Ada' })).toBe('Ada (ada)');
});

test('entries of the audit log without a person', () => {
  const entries = [{ id: '1', action: 'restart' } as unknown as AuditEntry];
  const shown = { last: '7d', user: null, entries, more: false };
  expect(JSON.stringify(auditMessage(shown, '', texts))).not.toMatch(/undefined|null/);
});

test.each(['/content/1/', 'javascript:alert(1)', '', `https://example.com/${'x'.repeat(3000)}`])(
  'a button with an address that Slack refuses is left out: %.20s',
  (url) => {
    const { blocks } = statusMessage({ ...status, content: { ...bare, url } }, '', texts);
    expect(JSON.stringify(blocks)).not.toContain('"url"');
    expect(JSON.stringify(blocks)).toContain(texts.buttons.usage);
    const only = fit({ text: 'x', blocks: [actions(button('open', 'Open', '', { url }))] });
    expect(only.blocks).toEqual([]);
  },
);

test('a button whose command does not fit is left out: a part of it would mean something else', () => {
  const buttons = [button('run:0', 'Long', 'x'.repeat(2001)), button('run:1', 'Short', 'x'.repeat(2000))];
  const { blocks } = fit({ text: 'x', blocks: [actions(...buttons)] });
  expect(blocks).toEqual([actions(buttons[1]!)]);
});
