// CI pipelines that deploy a content item with their own token, and the form to add one.
import type { ContentGa } from '@pressroom/api/contract';
import { issuersOf } from '../../sign-in/trusted-publishers/verify-token.ts';
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { actionButton, field, form, inRow, select, table, time } from '../parts.ts';
import { FOR_COLLABORATORS, isAllowed } from './content-frame.ts';

/** Empty if the server accepts no such tokens. */
export async function trustedPublishers(
  request: PageRequest,
  item: ContentGa,
  path: string,
): Promise<Html | false> {
  const { parts, call, params } = request;
  const issuers = issuersOf(parts.config);
  if (issuers.length === 0 || parts.config['Server.Address'] === '') return false;
  const rows = (await call('getTrustedPublishers', { params: { guid: params.guid } })).map((one) => [
    html`${one.repository} <small>${one.issuer}</small>`,
    [one.branch && `branch ${one.branch}`, one.environment && `environment ${one.environment}`]
      .filter(Boolean)
      .join(', ') || 'any branch',
    one.drafts_only ? 'drafts only' : 'goes live',
    html`${one.username},
    ${one.last_used_time === null ? 'never used' : html`used ${time(one.last_used_time)}`}`,
    actionButton(request, `${path}/trust`, inRow('Remove', one.repository), { id: one.id }),
  ]);
  const names = issuers.map((issuer) => [issuer, nameOf(issuer)] as const);
  const goesLive = [
    ['false', 'go live'],
    ['true', 'are drafts only'],
  ] as const;
  const fields = [
    select(request, 'issuer', 'CI', names, issuers[0] ?? ''),
    field(request, 'trusted_repository', 'Repository', '', { required: true, placeholder: 'acme/reports' }),
    field(request, 'branch', 'Branch', '', { placeholder: 'main' }),
    field(request, 'environment', 'Environment', ''),
    select(request, 'drafts_only', 'Its bundles', goesLive, 'false'),
  ];
  const add = form(request, `${path}/trust`, html`${fields}<button>Trust</button>`, html`class="row"`);
  return html`<p>
      Pipelines that deploy with the token of their CI, without an API key. They have your rights to this
      content.
    </p>
    ${table('Trusted publishers', ['Repository', 'Where', 'Deploys', 'Trusted by', ''], rows, 'No pipeline is trusted yet.')}
    ${isAllowed(request, item, 'uploadBundle') ? add : FOR_COLLABORATORS}`;
}

const NAMES: Readonly<Record<string, string>> = {
  'https://token.actions.githubusercontent.com': 'GitHub Actions',
  'https://gitlab.com': 'GitLab.com',
};
const nameOf = (issuer: string) => NAMES[issuer] ?? issuer;

export async function changeTrust({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const to = `/content/${guid}/settings`;
  const id = sent.get('id');
  if (id !== null) {
    await call('removeTrustedPublisher', { params: { guid, id } });
    return { to, note: 'Trusted publisher removed. Its keys no longer work.' };
  }
  const text = (name: string) => sent.get(name)?.trim() || null;
  const added = await call('addTrustedPublisher', {
    params: { guid },
    body: {
      issuer: sent.get('issuer'),
      repository: text('trusted_repository') ?? '',
      branch: text('branch'),
      environment: text('environment'),
      drafts_only: sent.get('drafts_only') === 'true',
    },
  });
  return { to, note: `Pipelines of ${added.repository} can deploy this content.` };
}
