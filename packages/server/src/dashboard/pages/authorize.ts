// Shared parts of the pages that authorize a program to act as a person.
import { errors } from '@pressroom/api/contract';
import { toTimestamp } from '../../platform/clock.ts';
import type { Micros } from '../../platform/database/schema.ts';
import { html, type Html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { form, time } from '../parts.ts';

/** Title while there is nothing to decide. */
export const TITLE = 'Authorize a program';

export interface Asking {
  /** Path of the form, and the field that identifies the request. */
  readonly path: string;
  readonly name: string;
  readonly value: string;
  readonly program: {
    readonly client_name: string;
    readonly created_time: Micros;
    readonly address: string;
  };
  /** What people compare, as a description list. */
  readonly proof: Html;
  readonly warning: Html;
  /** Title, if the program gets something other than an API key. */
  readonly title?: string;
  readonly about?: Html;
  /** Shown instead of the choice. */
  readonly instead?: Html | null;
}

export function choicePage(request: PageRequest, asking: Asking): Page {
  const { caller } = request;
  const { path, name, value, program, proof, warning, title, instead = null } = asking;
  const about =
    asking.about ??
    html`It will act as you, <strong>${caller.username}</strong> (${caller.role}): it has all your
      permissions, with an API key that does not expire. You can revoke it at any time.`;
  const buttons = html`<input type="hidden" name="${name}" value="${value}" /><button
      name="decision"
      value="allowed"
    >
      Allow
    </button>
    <button name="decision" value="denied" class="danger">Deny</button>`;
  const body = html`<p>${about}</p>
    <dl>
      <dt>Program (self-reported)</dt>
      <dd>${program.client_name}</dd>
      <dt>Requested</dt>
      <dd>${time(toTimestamp(program.created_time))}</dd>
      <dt>IP address</dt>
      <dd>${program.address}</dd>
      ${proof}
    </dl>
    <p class="error">${warning}</p>
    ${instead ?? form(request, path, buttons)}`;
  return { title: title ?? 'Authorize this program?', section: 'keys', body };
}

/** @throws ApiError 12 if neither button was pressed. */
export function decisionIn(sent: URLSearchParams): 'allowed' | 'denied' {
  const decision = sent.get('decision');
  if (decision !== 'allowed' && decision !== 'denied')
    throw errors.parameterMissing({ message: 'Choose Allow or Deny.' });
  return decision;
}
