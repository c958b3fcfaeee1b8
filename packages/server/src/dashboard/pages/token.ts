// Authorizes a program that signs its requests to act as the person. Opening the page decides nothing.
import { decideToken, findUnclaimed } from '../../sign-in/tokens/commands.ts';
import { fingerprintOf } from '../../sign-in/tokens/public-key.ts';
import { html } from '../html.ts';
import type { Page, PageRequest, Redirect } from '../page.ts';
import { choicePage, decisionIn, TITLE } from './authorize.ts';

export async function token(request: PageRequest): Promise<Page> {
  const { parts, caller, query, refusal, root } = request;
  // The error of a refused form is shown above.
  if (refusal !== null) {
    const body = html`<p>Ask the program for a new link. <a href="${root}/keys">API keys</a></p>`;
    return { title: TITLE, section: 'keys', body };
  }
  const value = query.get('token') ?? '';
  const row = await findUnclaimed(parts, caller, value);
  return choicePage(request, {
    path: '/token',
    name: 'token',
    value,
    program: row,
    proof: html`<dt>Key</dt>
      <dd><code>${fingerprintOf(row.public_key)}</code></dd>`,
    warning: html`<strong>Allow only if you started this yourself just now.</strong> If somebody sent you this
      link, deny the request: the sender would act as you.`,
  });
}

export async function decide({ parts, caller, form: sent }: PageRequest): Promise<Redirect> {
  const decision = decisionIn(sent);
  const { client_name } = await decideToken(parts, caller, sent.get('token') ?? '', decision);
  return decision === 'allowed'
    ? { to: '/keys', note: `“${client_name}” is authorized. You can close this page.` }
    : { to: '/keys', note: `“${client_name}” was denied.` };
}
