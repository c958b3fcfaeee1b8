// Building blocks of pages: forms, fields, tables, times.
import { errors } from '@pressroom/api/contract';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import { html, type Html } from './html.ts';
import type { PageRequest } from './page.ts';

/** A form that posts to a path of the dashboard. @param body its fields and button */
export function form({ root }: PageRequest, path: string, body: Html, attributes: Html = html``): Html {
  return html`<form method="post" action="${root}${path}" ${attributes}>${body}</form>`;
}

/** The id of a section: fields have ids, too. */
export function sectionId(title: string): string {
  return `section-${title.toLowerCase().replaceAll(' ', '-')}`;
}

/**
 * A part of a long page under a heading, which opens and closes it. A link to its id opens it, as browsers do with what
 * is in it; so does a form in it that was just sent.
 * @param isOpen from the beginning: what is needed often, or shows a problem
 */
export function section(request: PageRequest, title: string, body: Html, isOpen = false): Html {
  const { root, sentTo } = request;
  const isMeant = sentTo !== '' && body.toString().includes(`action="${root}${sentTo}"`);
  return html`<details class="section" ${(isOpen || isMeant) && html`open`}>
    <summary><h2>${title}</h2></summary>
    <div id="${sectionId(title)}">${body}</div>
  </details>`;
}

/**
 * The text of a button or link in a row of a table: a screen reader says what it is for, not only "Remove" in every row.
 */
export function inRow(label: string, row: Html | string): Html {
  return html`${label}<span class="hidden"> ${row}</span>`;
}

/** A form with a single button. */
export function actionButton(
  request: PageRequest,
  path: string,
  label: Html | string,
  fields: Record<string, string> = {},
): Html {
  return form(request, path, html`${hidden(fields)}<button>${label}</button>`, html`class="inline"`);
}

function hidden(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
}

/** A link that signs in again and returns. @param path of the dashboard, with its query */
export function signInAgain({ base }: PageRequest, path: string): Html {
  // The sign-in adds the path of the server's own address.
  const next = new URLSearchParams({ next: DASHBOARD_PREFIX + path }).toString();
  return html`<a href="${base}/__login__?${next}">Sign in again</a>`;
}

/** A button for irreversible actions: a box must be ticked first. */
export function dangerButton(
  request: PageRequest,
  path: string,
  label: Html | string,
  sure: Html | string,
  fields: Record<string, string> = {},
): Html {
  const box = html`<label class="check"><input type="checkbox" name="sure" required /> ${sure}</label>`;
  const body = html`${hidden(fields)}${box}<button class="danger">${label}</button>`;
  return form(request, path, body, html`class="danger-form"`);
}

/** Fields whose text is masked, and that no page gets back, not even for the person who typed it. */
const SECRETS: ReadonlySet<string> = new Set([
  'current',
  'password',
  'remove-password',
  'source_password',
  'token',
  'value',
]);

export function isSecret(name: string): boolean {
  return SECRETS.has(name);
}

export interface FieldOptions {
  readonly type?: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  /** The id of a list of suggestions. */
  readonly list?: string;
}

/**
 * What describes a control: its hint, and why it was refused, if it was. Then it has the focus, and screen readers say
 * the reason after the label.
 */
export function described(
  { refusal }: PageRequest,
  name: string,
  label: string,
  hint: string | undefined,
): { readonly attributes: Html; readonly words: Html } {
  const isRefused = refusal?.field === name;
  if (isRefused) refusal.isSaid = true;
  const ids = [isRefused && `${name}-error`, hint !== undefined && `${name}-hint`].filter(Boolean).join(' ');
  const reason =
    isRefused && (refusal.called === '' ? '' : label) + refusal.message.slice(refusal.called.length);
  return {
    attributes: html`${ids !== '' && html`aria-describedby="${ids}"`}
    ${isRefused && html`aria-invalid="true" autofocus`}`,
    words: html`${isRefused && html`<small id="${name}-error" class="bad" role="alert">${reason}</small>`}
    ${hint !== undefined && html`<small id="${name}-hint">${hint}</small>`}`,
  };
}

/** A labelled input; after a refusal it keeps the submitted value. */
export function field(
  request: PageRequest,
  name: string,
  label: string,
  value: string | number | null = '',
  {
    type = isSecret(name) ? 'password' : 'text',
    hint,
    required = false,
    placeholder,
    autocomplete = 'off',
    list,
  }: FieldOptions = {},
): Html {
  const { form: sent } = request;
  const { attributes, words } = described(request, name, label, hint);
  const shown = isSecret(name) ? '' : (sent.get(name) ?? value ?? '');
  return html`<p class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${shown}"
      autocomplete="${autocomplete}"
      ${placeholder !== undefined && html`placeholder="${placeholder}"`}
      ${list !== undefined && html`list="${list}"`}
      ${required && html`required`}
      ${attributes}
    />
    ${words}
  </p>`;
}

/** A field for text of several lines: an input would silently drop line ends. See `linesOf`. */
export function textArea(
  request: PageRequest,
  name: string,
  label: string,
  value: string,
  hint: string,
): Html {
  const { attributes, words } = described(request, name, label, hint);
  const shown = isSecret(name) ? '' : linesOf(request.form.get(name) ?? value);
  const looks = isSecret(name) ? html`class="masked" rows="1" spellcheck="false"` : html`rows="3"`;
  // HTML ignores the first line break after the tag; this one preserves the text's own.
  const area = html`<textarea id="${name}" name="${name}" ${looks} autocomplete="off" ${attributes}>
${shown}</textarea>`;
  return html`<p class="field">
    <label for="${name}">${label}</label>
    ${area} ${words}
  </p>`;
}

type Shown = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Sends the values shown along with the form, so that changes by others are not reverted: see `changedFields`, or
 * `requireUnchanged` for values that belong together.
 */
export function shownFields({ form: sent, refusal }: PageRequest, what: string, values: Shown): Html {
  const name = `shown_${what}`;
  const before = refusal?.field === name ? null : sent.get(name);
  return html`<input type="hidden" name="${name}" value="${before ?? JSON.stringify(values)}" />`;
}

/**
 * The refusal says how it is now: the form can be sent again.
 * @param now the values that `shownFields` would send. @param words the same, for people
 * @throws ApiError 100 if they are not those that the form was shown with
 */
export function requireUnchanged({ form: sent }: PageRequest, what: string, now: Shown, words: string): void {
  const field = `shown_${what}`;
  if (sent.get(field) === JSON.stringify(now)) return;
  const message = `Somebody changed this after the page was opened. Now: ${words}. Nothing was saved: send it again if you still want to.`;
  throw errors.itemBusy({ message, field });
}

/** The submitted fields whose values differ from those shown. */
export function changedFields({ form: sent }: PageRequest, what: string, names: readonly string[]): string[] {
  const shown = shownBefore(sent, what);
  return names.filter((name) => {
    if (!sent.has(name)) return false;
    const before = Object.hasOwn(shown, name) ? String(shown[name] ?? '') : null;
    return linesOf(sent.get(name) ?? '') !== before;
  });
}

/** The values sent by `shownFields`; empty if unreadable: then all fields count as changed. */
export function shownBefore(sent: URLSearchParams, what: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(sent.get(`shown_${what}`) ?? '{}')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Browsers send line ends as CR LF. */
export function linesOf(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** A typed number; other text as it is, to be refused: as JSON, NaN would be null. */
export function numberOrText(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

export function select(
  request: PageRequest,
  name: string,
  label: string,
  options: readonly (readonly [value: string, label: string])[],
  value: string,
): Html {
  const chosen = request.form.get(name) ?? value;
  const { attributes, words } = described(request, name, label, undefined);
  const items = options.map(
    ([key, text]) => html`<option value="${key}" ${key === chosen && html`selected`}>${text}</option>`,
  );
  return html`<p class="field">
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}" ${attributes}>
      ${items}
    </select>
    ${words}
  </p>`;
}

/** A table that scrolls on narrow screens, also by keyboard. @param empty what to do while there are no rows */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly (Html | string | null | false)[])[],
  empty: Html | string = `${caption}: none.`,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  const heads = head.map(
    (text) => html`<th scope="col">${text === '' ? html`<span class="hidden">Actions</span>` : text}</th>`,
  );
  const body = rows.map(
    (cells) =>
      html`<tr>
        ${cells.map((cell, i) => cellOf(cell, head[i]))}
      </tr>`,
  );
  return html`<div class="table" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
}

/** On narrow screens, cells are stacked and labelled with their column. */
function cellOf(cell: Html | string | null | false, label = ''): Html {
  const isEmpty = cell === null || cell === false || cell === '';
  return html`<td data-label="${label}" ${isEmpty && html`class="none"`}>${cell}</td>`;
}

/** The requested page of a list, from 1. */
export function pageNumber({ query }: PageRequest): number {
  return Math.min(Math.max(1, Math.trunc(Number(query.get('page'))) || 1), LAST_PAGE);
}

/**
 * Links to the previous and next page that keep the rest of the query, and the total.
 * @param nouns singular and plural
 */
export function paging(
  request: PageRequest,
  path: string,
  size: number,
  total: number,
  [one, other]: readonly [one: string, other: string],
): Html {
  const number = pageNumber(request);
  const link = (page: number, label: string) => {
    const query = new URLSearchParams(request.query);
    query.set('page', String(page));
    return html`<a href="${request.root}${path}?${query.toString()}">${label}</a> `;
  };
  return html`<p>
    ${number > 1 && link(number - 1, 'Previous')}${number * size < total && link(number + 1, 'Next')}${total}
    ${total === 1 ? one : other}
  </p>`;
}

const LAST_PAGE = 1_000_000;

/** Last lines of a log on its page: a browser takes seconds to lay out the hundred thousand that there can be. */
export const LINES_SHOWN = 5000;

/** A value shown in this response only: a key, a link. */
export function shownOnce(label: string, value: string): Html {
  return html`<p class="note" role="status" id="secret-note">Copy it now. It is not shown again.</p>
    <p>
      <label for="secret">${label}</label><br /><input
        id="secret"
        class="secret"
        readonly
        size="48"
        value="${value}"
        aria-describedby="secret-note"
        autofocus
      />
    </p>`;
}

/** A time in UTC, exact for machines, short for people. */
export function time(timestamp: string | null): Html {
  if (timestamp === null) return html`<span class="quiet">never</span>`;
  return html`<time datetime="${timestamp}">${timestamp.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1e6) return `${(count / 1e3).toFixed(1)} kB`;
  return count < 1e9 ? `${(count / 1e6).toFixed(1)} MB` : `${(count / 1e9).toFixed(1)} GB`;
}

/** @param micros microseconds */
export function duration(micros: number): string {
  const seconds = micros / 1e6;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
