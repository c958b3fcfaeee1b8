// API keys on pages.
import type { ApiKey } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { dangerButton, inRow, table, time } from '../parts.ts';

/** @param path of the form to revoke one. */
export function keyTable(request: PageRequest, keys: readonly ApiKey[], path: string): Html {
  const now = request.parts.clock.now() / 1000;
  const rows = keys.map((key) => [
    key.name,
    key.role ?? 'everything its owner may do',
    time(key.created_time),
    time(key.last_used_time),
    key.expires_time !== null && Date.parse(key.expires_time) <= now
      ? html`<span class="bad">expired</span>`
      : time(key.expires_time),
    revokeButton(request, path, key.name, key.id),
  ]);
  return table(
    'API keys',
    ['Name', 'For', 'Created', 'Last used', 'Expires', ''],
    rows,
    'There are no API keys yet.',
  );
}

/** Programs that use the key stop working at once: that must be confirmed. @param key as its row calls it */
export function revokeButton(request: PageRequest, path: string, key: string, id: string): Html {
  return dangerButton(request, path, inRow('Revoke', key), inRow('Confirm', `revoking ${key}`), { id });
}
