// The Git repository that a content item comes from, and the forms that connect, change and disconnect it.
import { ApiError } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import type { PageRequest, Redirect } from '../page.ts';
import { actionButton, field, form, select, time } from '../parts.ts';

const POLLING = [
  ['false', 'after a push only'],
  ['true', 'and by itself, again and again'],
] as const;

/** Nothing where the server does not deploy from Git. */
export async function repositoryPanel(request: PageRequest, path: string): Promise<Html | false> {
  const { parts, call, params } = request;
  if (!parts.config['Applications.GitEnabled']) return false;
  const one = await call('getRepository', { params: { guid: params.guid } }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 4) return null;
    throw error;
  });
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
      ${actionButton(request, `${path}/git`, 'New webhook secret', { action: 'secret' })}
      ${actionButton(request, `${path}/git`, 'Disconnect', { action: 'disconnect' })}`;
  const fields = [
    field(request, 'repository', 'Repository', one?.repository, {
      required: true,
      placeholder: 'https://github.com/acme/reports.git',
    }),
    field(request, 'git_branch', 'Branch', one?.branch ?? 'main', { required: true }),
    field(request, 'directory', 'Directory', one?.directory ?? '.', { required: true }),
    select(request, 'polling', 'Looks for commits', POLLING, String(one?.polling ?? false)),
    field(request, 'host_key', 'Trust host key', '', {
      hint: 'For ssh: a fingerprint that the server offers',
    }),
    field(request, 'username', 'Username', one?.username, { hint: 'With the token; leave empty for git' }),
    field(request, 'token', one?.has_token ? 'Token (set)' : 'Token', '', {
      type: 'password',
      hint: 'For private repositories. It is kept encrypted and never shown',
    }),
  ];
  const label = one === null ? 'Connect' : 'Save repository';
  return html`<h2>Git repository</h2>
    ${state} ${form(request, `${path}/git`, html`${fields}<button>${label}</button>`)}`;
}

export async function changeRepository({ call, params, form: sent }: PageRequest): Promise<Redirect> {
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
    const { webhook_secret } = await call('renewRepositorySecret', { params: { guid } });
    return { to, note: `Webhook secret, shown this once: ${webhook_secret}` };
  }
  const token = sent.get('token');
  const hostKey = sent.get('host_key')?.trim();
  const body = {
    repository: sent.get('repository')?.trim() ?? '',
    branch: sent.get('git_branch')?.trim() ?? '',
    directory: sent.get('directory')?.trim() ?? '',
    polling: sent.get('polling') === 'true',
    username: sent.get('username')?.trim() || null,
    ...(token && { token }),
    ...(hostKey && { host_keys: [hostKey] }),
  };
  const isThere = await call('getRepository', { params: { guid } }).then(
    () => true,
    () => false,
  );
  if (isThere) {
    await call('updateRepository', { params: { guid }, body });
    return { to, note: 'Repository saved.' };
  }
  const { webhook_secret } = await call('setRepository', { params: { guid }, body });
  return { to, note: `Connected. Webhook secret, shown this once: ${webhook_secret}` };
}
