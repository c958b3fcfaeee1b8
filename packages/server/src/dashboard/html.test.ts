// Text by others in pages: it changes neither the page nor how the text around it reads.
import { expect, test } from 'vitest';
import { html, trusted } from './html.ts';

test('a name cannot reverse what follows it', () => {
  const name = 'Ada \u202E\u2067';
  expect(String(html`<td>${name} (pia)</td>`)).toBe('<td>Ada  (pia)</td>');
  expect(String(html`<ul>${[html`<li>${name}</li>`, name]}</ul>`)).toBe('<ul><li>Ada </li>Ada </ul>');
});

test('text is escaped; HTML of our own is not', () => {
  expect(String(html`<p title="${'"'}">${'<b>'}${trusted('<i>')}${0}</p>`)).toBe(
    '<p title="&quot;">&lt;b&gt;<i>0</p>',
  );
});
