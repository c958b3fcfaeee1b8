// Text by others in pages: it changes neither the page nor how the text around it reads.
import { expect, test } from 'vitest';
import { escapeHtml } from '../http/pages.ts';
import { html, trusted } from './html.ts';

test('a name cannot reverse what follows it', () => {
  const name = 'Ada \u202E\u2067';
  const names = [html`<b>${name}</b>`, name];
  expect(String(html`<p>${name}(pia)</p>`)).toBe('<p>Ada (pia)</p>');
  expect(String(html`<p>${names}</p>`)).toBe('<p><b>Ada </b>Ada </p>');
  expect(escapeHtml(name)).toBe('Ada ');
});

test('text is escaped; HTML of our own is not', () => {
  expect(String(html`<p title="${'"'}">${'<b>'}${trusted('<i>')}${0}</p>`)).toBe(
    '<p title="&quot;">&lt;b&gt;<i>0</p>',
  );
});
