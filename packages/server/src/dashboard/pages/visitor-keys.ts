// Whether a content item may act for its visitors: an administrator decides.
import { type ContentGa, engineOf } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { form, select } from '../parts.ts';

const MAY: Readonly<Record<string, string>> = {
  Viewer: 'Read what its visitors may read',
  Publisher: 'Do what its visitors may do as publishers',
};

/** Null on servers that do not offer it, and for what is no application. */
export async function visitorKeys(request: PageRequest, { guid, app_mode }: ContentGa): Promise<Html | null> {
  const { call, caller } = request;
  const offered = await call('getIntegrations');
  if (offered.length === 0) return null;
  const [set] = await call('getContentIntegrations', { params: { guid } });
  const engine = engineOf(app_mode);
  if (!set && engine !== undefined && engine !== 'application') return null;
  const chosen = set?.oauth_integration_guid ?? '';
  const choices = [
    ['', 'Nothing'],
    ...offered.map(({ guid: id, config }) => [id, MAY[config.max_role]!] as const),
  ] as const;
  const current = choices.find(([id]) => id === chosen)?.[1];
  return html`<h2>Visitors’ rights</h2>
    <p>
      An application can get API keys of its signed-in visitors, and act for them. Whoever deploys this
      content then can, too.
    </p>
    ${
      caller.role === 'administrator'
        ? form(
            request,
            `/content/${guid}/access/visitors`,
            html`${select(request, 'integration', 'What it may do', choices, chosen)}<button>Save</button>`,
          )
        : html`<p>It may: ${current}. An administrator can change this.</p>`
    }`;
}

export async function setVisitorKeys({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const integration = sent.get('integration') ?? '';
  const body = integration === '' ? [] : [{ oauth_integration_guid: integration }];
  await call('setContentIntegrations', { params: { guid: params.guid }, body });
  const note =
    integration === '' ? 'It does not act for its visitors.' : 'It may act for its visitors: reload it.';
  return { to: `/content/${params.guid}/access`, note };
}
