// The audit log for administrators, filtered by person, action, text and days.
import { searchAudit } from '../../audit/store.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { html } from '../html.ts';
import { type Page, type PageRequest, requireAdministrator } from '../page.ts';
import { table, time } from '../parts.ts';

const PAGE = 100;
const DAY = 86_400_000_000;

export async function audit(request: PageRequest): Promise<Page> {
  const { parts, query, root } = request;
  await requireAdministrator(request);
  const [who = '', action = '', text = ''] = ['who', 'action', 'text'].map((name) =>
    query.get(name)?.replaceAll('\0', '').trim(),
  );
  const id = Number(query.get('before') ?? NaN);
  const before = Number.isSafeInteger(id) ? id : null;
  const [from, to] = [dayOf(query.get('from')), dayOf(query.get('to'))];
  const found = await searchAudit(parts.storage.db, {
    who,
    action,
    text,
    before,
    limit: PAGE,
    from: from.begin,
    to: to.begin === null ? null : to.begin + DAY - 1,
  });
  const rows = found.map((row) => [
    time(toTimestamp(row.time)),
    row.user_description,
    row.action,
    row.event_description,
  ]);
  const input = (name: string, label: string, value: string, type = 'text') =>
    html`<p class="field">
      <label for="${name}">${label}</label
      ><input id="${name}" name="${name}" type="${type}" value="${value}" />
    </p>`;
  const filters = html`<form class="search" action="${root}/audit" role="search">
    ${input('who', 'Who', who)} ${input('action', 'Action', action)}${input('text', 'Text', text)}
    ${input('from', 'From (UTC)', from.day, 'date')} ${input('to', 'To (UTC)', to.day, 'date')}<button>
      Filter
    </button>
  </form>`;
  const days = { ...(from.day !== '' && { from: from.day }), ...(to.day !== '' && { to: to.day }) };
  const last = String(found.at(-1)?.id);
  const older = new URLSearchParams({ who, action, text, ...days, before: last }).toString();
  const newest = new URLSearchParams({ who, action, text, ...days }).toString();
  const more = html`<p>
    ${before !== null && html`<a href="${root}/audit?${newest}">Newest entries</a> `}
    ${found.length === PAGE && html`<a href="${root}/audit?${older}">Older entries</a>`}
  </p>`;
  // Person and text match substrings, which exports do not support.
  const exported = (format: string) =>
    new URLSearchParams({
      format,
      ...(action !== '' && { action }),
      ...(from.day !== '' && { from: from.day }),
      ...(to.day !== '' && { to: `${to.day}T23:59:59.999Z` }),
    }).toString();
  const span = [from.day && `from ${from.day}`, to.day && `to ${to.day}`].filter(Boolean).join(' ');
  const body = html`${(from.isOdd || to.isOdd) && html`<p role="alert">Days are written like 2026-11-23; entries of all days are shown.</p>`}
    <p>
      Download ${action === '' ? 'the log' : html`all entries of ${action}`}${span && ` ${span}`}:
      <a href="${root}/audit/export?${exported('jsonl')}">JSON lines</a>,
      <a href="${root}/audit/export?${exported('csv')}">CSV</a>.
    </p>
    ${filters}${table('Audit log', ['Time', 'Who', 'Action', 'What'], rows, html`No entry matches. <a href="${root}/audit">Show all entries</a>`)}${more}`;
  return { title: 'Audit log', section: 'audit', body };
}

/** A day in UTC with its start in microseconds; null for an invalid date. */
function dayOf(text: string | null): { day: string; begin: number | null; isOdd: boolean } {
  const day = (text ?? '').trim();
  if (day === '') return { day: '', begin: null, isOdd: false };
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : NaN;
  // The 31st of a shorter month would become a day of the next one.
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(day))
    return { day: '', begin: null, isOdd: true };
  return { day, begin: time * 1000, isOdd: false };
}
