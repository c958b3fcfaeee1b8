// The package repositories of a content item, with a form to add one.
import type { ContentGa, PackageSource } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { actionButton, dangerButton, field, form, inRow, select, table } from '../parts.ts';
import { FOR_COLLABORATORS, isAllowed } from './content-frame.ts';

const LANGUAGES = [
  ['python', 'Python'],
  ['r', 'R'],
] as const;

/** Empty if content may not have its own. */
export async function packageSources(
  request: PageRequest,
  item: ContentGa,
  path: string,
): Promise<Html | false> {
  const { parts, call, params } = request;
  if (!parts.config['Packages.ContentSources']) return false;
  const all = await call('getPackageSources', { params: { guid: params.guid } });
  const mayChange = isAllowed(request, item, 'manageEnvironment');
  const rows = all.map(({ language, address, username, has_password }) => [
    language === 'r' ? 'R' : 'Python',
    address === 'server' ? 'those of the server' : address,
    username,
    has_password ? 'set' : null,
    mayChange && removal(request, `${path}/packages`, { language, address, has_password }),
  ]);
  const fields = html`${select(request, 'language', 'Language', LANGUAGES, 'python')}
    ${field(request, 'source', 'Address', '', { required: true, hint: 'https://…, or the word “server” for those of the server' })}
    ${field(request, 'source_user', 'Username', '')}
    ${field(request, 'source_password', 'Password', '', { hint: 'Stored encrypted; not shown again' })}<button>
      Add
    </button>`;
  return html`<p>
      If you add repositories for a language, its packages come from these only, starting with the next
      deploy.
    </p>
    ${rows.length > 0 && table('Package repositories', ['Language', 'Address', 'Username', 'Password', ''], rows)}
    ${mayChange ? form(request, `${path}/packages`, fields) : FOR_COLLABORATORS}`;
}

function removal(
  request: PageRequest,
  path: string,
  { language, address, has_password }: Pick<PackageSource, 'language' | 'address' | 'has_password'>,
): Html {
  const name = address === 'server' ? 'those of the server' : address;
  const fields = { remove: address, language };
  const label = inRow('Remove', name);
  // Nobody can read the password any more, to set it again.
  return has_password
    ? dangerButton(request, path, label, inRow('Confirm', `removing ${name}`), fields)
    : actionButton(request, path, label, fields);
}

export async function changePackageSources({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const all = await call('getPackageSources', { params: { guid } });
  const removed = sent.get('remove');
  const text = (name: string) => (sent.get(name) ?? '').trim();
  const kept = all
    .filter(({ language, address }) => removed !== address || text('language') !== language)
    .map(({ language, address, username }) => ({ language, address, username }));
  const password = sent.get('source_password');
  const added = {
    language: text('language') === 'r' ? ('r' as const) : ('python' as const),
    address: text('source'),
    username: text('source_user') || null,
    ...(password && { password }),
  };
  const sources = removed === null ? [...kept, added] : kept;
  await call('setPackageSources', { params: { guid }, body: { sources } });
  return { to: `/content/${guid}/settings`, note: 'Saved. The change takes effect at the next deploy.' };
}
