// The audit log, for administrators, with filters.
import { errors } from '@pressroom/api/contract';
import { searchAudit } from '../../audit/store.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { table, time } from '../parts.ts';

const PAGE = 100;

export async function audit({ parts, caller, query, root }: PageRequest): Promise<Page> {
  if (caller.role !== 'administrator') throw errors.operationDenied();
  const [who = '', action = '', text = ''] = ['who', 'action', 'text'].map((name) =>
    query.get(name)?.replaceAll('\0', '').trim(),
  );
  const id = Number(query.get('before') ?? NaN);
  const before = Number.isSafeInteger(id) ? id : null;
  const found = await searchAudit(parts.storage.db, { who, action, text, before, limit: PAGE });
  const rows = found.map((row) => [
    time(toTimestamp(row.time)),
    row.user_description,
    row.action,
    row.event_description,
  ]);
  const input = (name: string, label: string, value: string) =>
    html`<p class="field">
      <label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}" />
    </p>`;
  const filters = html`<form class="search" action="${root}/audit" role="search">
    ${input('who', 'Who', who)} ${input('action', 'Action', action)}${input('text', 'Text', text)}<button>
      Filter
    </button>
  </form>`;
  const older = new URLSearchParams({ who, action, text, before: String(found.at(-1)?.id) }).toString();
  const more = found.length === PAGE && html`<p><a href="${root}/audit?${older}">Older entries</a></p>`;
  // Who and text are found by parts of words, which a download does not do.
  const exported = (format: string) =>
    new URLSearchParams({ format, ...(action !== '' && { action }) }).toString();
  const body = html`<p>
      Download ${action === '' ? 'the log' : html`all entries of ${action}`}:
      <a href="${root}/audit/export?${exported('jsonl')}">JSON lines</a>,
      <a href="${root}/audit/export?${exported('csv')}">CSV</a>.
    </p>
    ${filters}${table('Audit log', ['Time', 'Who', 'Action', 'What'], rows)}${more}`;
  return { title: 'Audit log', section: 'audit', body };
}
