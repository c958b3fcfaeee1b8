// The Git repository of a content item, with forms to connect, change and disconnect it.
import { html, type Html } from '../html.ts';
import { nullIfNone, type Page, type PageRequest, type Redirect } from '../page.ts';
import {
  actionButton,
  changedFields,
  dangerButton,
  field,
  form,
  sectionId,
  select,
  shownFields,
  shownOnce,
  time,
} from '../parts.ts';

const POLLING = [
  ['false', 'after a push only'],
  ['true', 'and by itself, again and again'],
] as const;

/** False if the server does not deploy from Git. The second value is whether it shows a problem. */
export async function repositoryPanel(
  request: PageRequest,
  path: string,
): Promise<[body: Html | false, hasProblem: boolean]> {
  const { parts, call, params } = request;
  if (!parts.config['Applications.GitEnabled']) return [false, false];
  const one = await nullIfNone(call('getRepository', { params: { guid: params.guid } }));
  const state =
    one !== null &&
    html`<p>
        ${one.last_known_commit === null ? 'No commit was fetched yet.' : html`Commit <code>${one.last_known_commit.slice(0, 10)}</code>, fetched ${time(one.last_fetched_time)}.`}
        Webhook: <code>${one.webhook_url}</code>
      </p>
      ${one.public_key !== null && html`<p>Deploy key: <code>${one.public_key}</code></p>`}
      ${one.offered_host_keys.length > 0 && html`<p>The server offers <code>${one.offered_host_keys.join(', ')}</code>; trusted: <code>${one.host_keys.join(', ') || 'none'}</code>.</p>`}
      ${one.last_error !== null && html`<p class="error">${one.last_error}</p>`}
      ${actionButton(request, `${path}/git`, 'Deploy newest commit', { action: 'deploy' })}
      ${dangerButton(request, `${path}/git`, 'New webhook secret', 'The secret until now no longer works', { action: 'secret' })}
      ${dangerButton(request, `${path}/git`, 'Disconnect', 'Forget the token and the keys', { action: 'disconnect' })}`;
  const { repository = '', branch = 'main', directory = '.', polling = false, username = null } = one ?? {};
  const shown = { repository, git_branch: branch, directory, polling: String(polling), username };
  const fields = [
    shownFields(request, 'repository', shown),
    field(request, 'repository', 'Repository', repository, {
      required: true,
      placeholder: 'https://github.com/acme/reports.git',
    }),
    field(request, 'git_branch', 'Branch', branch, { required: true }),
    field(request, 'directory', 'Directory', directory, { required: true }),
    select(request, 'polling', 'Looks for commits', POLLING, shown.polling),
    field(request, 'host_key', 'Trust host key', '', {
      hint: 'For ssh: a fingerprint that the server offers',
    }),
    field(request, 'username', 'Username', username, { hint: 'With the token; leave empty for git' }),
    field(request, 'token', one?.has_token ? 'Token (set)' : 'Token', '', {
      hint: 'For private repositories. It is kept encrypted and never shown',
    }),
  ];
  const label = one === null ? 'Connect' : 'Save repository';
  const body = html`${state} ${form(request, `${path}/git`, html`${fields}<button>${label}</button>`)}`;
  return [body, one !== null && one.last_error !== null];
}

export async function changeRepository(request: PageRequest): Promise<Redirect | Page> {
  const { call, params, form: sent } = request;
  const { guid } = params;
  const to = `/content/${guid}/settings`;
  const action = sent.get('action');
  if (action === 'deploy') {
    const { task_id } = await call('deployRepository', { params: { guid }, body: {} });
    return { to: `/tasks/${task_id}` };
  }
  if (action === 'disconnect') {
    await call('deleteRepository', { params: { guid } });
    return { to, note: 'Disconnected. The bundles stay.' };
  }
  if (action === 'secret') {
    return secretPage(request, await call('renewRepositorySecret', { params: { guid } }));
  }
  const token = sent.get('token');
  const hostKey = sent.get('host_key')?.trim();
  const text = (name: string) => sent.get(name)?.trim() ?? '';
  const all = {
    repository: { repository: text('repository') },
    git_branch: { branch: text('git_branch') },
    directory: { directory: text('directory') },
    polling: { polling: sent.get('polling') === 'true' },
    username: { username: text('username') || null },
  };
  const secrets = {
    ...(token && { token }),
    ...(hostKey && { host_keys: [hostKey] }),
  };
  const isThere = await call('getRepository', { params: { guid } }).then(
    () => true,
    () => false,
  );
  if (isThere) {
    const names = changedFields(request, 'repository', Object.keys(all)) as (keyof typeof all)[];
    // A secret belongs to the repository shown with it, not to one that somebody set meanwhile.
    if (token || hostKey) names.push('repository');
    const changed = Object.assign({}, ...names.map((name) => all[name])) as object;
    await call('updateRepository', { params: { guid }, body: { ...changed, ...secrets } });
    return { to, note: 'Repository saved.' };
  }
  const body = Object.assign({}, ...Object.values(all), secrets) as object;
  return secretPage(request, await call('setRepository', { params: { guid }, body }));
}

/** In this response only: a note would be in a cookie. */
function secretPage(
  { root, params }: PageRequest,
  { webhook_url, webhook_secret }: { readonly webhook_url: string; readonly webhook_secret: string },
): Page {
  const body = html`<p>
      The repository is connected. Enter this secret there, with the webhook <code>${webhook_url}</code>.
    </p>
    ${shownOnce('Webhook secret', webhook_secret)}
    <p>
      <a href="${root}/content/${params.guid}/settings#${sectionId('Git repository')}"
        >Back to the settings</a
      >
    </p>`;
  return { title: 'Webhook secret', section: 'content', body };
}
