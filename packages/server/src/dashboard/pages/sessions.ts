// The table of a person's sessions, on their own page and on the administrators' page.
import type { Session } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { actionButton, inRow, table, time } from '../parts.ts';

/** @param path of the form to end one. */
export function sessionTable(request: PageRequest, list: readonly Session[], path: string): Html {
  const rows = list.map((session) => [
    session.current ? html`<strong>this one</strong>` : session.agent,
    session.address || '–',
    time(session.created_time),
    time(session.active_time),
    session.current
      ? null
      : actionButton(
          request,
          path,
          inRow('End', html`${session.agent}, started ${time(session.created_time)}`),
          {
            id: session.id,
          },
        ),
  ]);
  return table(
    'Sessions',
    ['Program', 'IP address', 'Started', 'Last active', ''],
    rows,
    'No browser is signed in.',
  );
}
