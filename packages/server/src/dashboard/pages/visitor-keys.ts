// Whether a content item may act for its visitors: an administrator decides.
import { type ContentGa, engineOf } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { form, requireUnchanged, select, shownFields } from '../parts.ts';

const MAY: Readonly<Record<string, string>> = {
  Viewer: 'Read what its visitors may read',
  Publisher: 'Do what its visitors may do as publishers',
};

/** Null on servers that do not offer it, and for what is no application. */
export async function visitorKeys(request: PageRequest, { guid, app_mode }: ContentGa): Promise<Html | null> {
  const { choices, chosen, words } = await chosenOf(request);
  if (choices.length === 1) return null;
  const engine = engineOf(app_mode);
  if (chosen === '' && engine !== undefined && engine !== 'application') return null;
  const fields = html`${shownFields(request, 'visitors', { chosen })}${select(request, 'integration', 'What it may do', choices, chosen)}<button>
      Save
    </button>`;
  return html`<h2>Visitors’ rights</h2>
    <p>
      An application can get API keys of its signed-in visitors, and act for them. Whoever deploys this
      content then can, too.
    </p>
    ${
      request.caller.role === 'administrator'
        ? form(request, `/content/${guid}/access/visitors`, fields)
        : html`<p>It may: ${words}. An administrator can change this.</p>`
    }`;
}

async function chosenOf({ call, params }: PageRequest) {
  const offered = await call('getIntegrations');
  const [set] = await call('getContentIntegrations', { params: { guid: params.guid } });
  const choices = [
    ['', 'Nothing'],
    ...offered.map(({ guid, config }) => [guid, MAY[config.max_role]!] as const),
  ] as const;
  const chosen = set?.oauth_integration_guid ?? '';
  return { choices, chosen, words: choices.find(([guid]) => guid === chosen)?.[1] ?? chosen };
}

export async function setVisitorKeys(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const integration = sent.get('integration') ?? '';
  const { chosen, words } = await chosenOf(request);
  requireUnchanged(request, 'visitors', { chosen }, words);
  const body = integration === '' ? [] : [{ oauth_integration_guid: integration }];
  await call('setContentIntegrations', { params: { guid: params.guid }, body });
  const note =
    integration === '' ? 'It does not act for its visitors.' : 'It may act for its visitors: reload it.';
  return { to: `/content/${params.guid}/access`, note };
}
