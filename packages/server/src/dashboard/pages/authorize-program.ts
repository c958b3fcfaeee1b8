// Authorizes a program that opened the browser (RFC 6749, 4.1), and leads back to it. Opening the page decides nothing.
import { addressWith, readAsked } from '../../sign-in/authorization-server/asked.ts';
import { allowProgram } from '../../sign-in/authorization-server/commands.ts';
import { html } from '../html.ts';
import type { Page, PageRequest } from '../page.ts';
import { choicePage, decisionIn, TITLE } from './authorize.ts';

export function authorizeProgram(request: PageRequest): Promise<Page> {
  const { parts, query, form, visit, ports } = request;
  const value = form.get('asked') ?? query.toString();
  const asked = readAsked(new URLSearchParams(value), ports);
  const page = choicePage(request, {
    path: '/authorize',
    name: 'asked',
    value,
    program: { client_name: asked.clientName, created_time: parts.clock.now(), address: visit.address },
    proof: html`<dt>Returns to</dt>
      <dd><code>${new URL(asked.redirectUri).origin}</code>, on your own machine</dd>`,
    warning: html`<strong>Allow only if you started this yourself just now.</strong> If somebody sent you this
      link, deny the request.`,
  });
  return Promise.resolve(page);
}

export async function decide({ parts, caller, form, visit, ports }: PageRequest): Promise<Page> {
  const decision = decisionIn(form);
  const asked = readAsked(new URLSearchParams(form.get('asked') ?? ''), ports);
  const goesOn =
    decision === 'allowed'
      ? addressWith(asked, 'code', await allowProgram(parts, caller, asked, visit.address))
      : addressWith(asked, 'error', 'access_denied');
  const what = decision === 'allowed' ? 'is authorized' : 'was denied';
  const body = html`<p>“${asked.clientName}” ${what}. <a href="${goesOn}">Go back to it</a></p>`;
  return { title: TITLE, section: 'keys', body, goesOn };
}
