// The lock on deploys of a content item, on its bundles page: who locked them and why, and how to lock or unlock them.
import { html, type Html } from '../html.ts';
import { nullIfNone, type PageRequest, type Redirect } from '../page.ts';
import { actionButton, field, form, time } from '../parts.ts';

export interface LockParts {
  /** Shown above the bundles while deploys are locked. */
  readonly notice: Html | null;
  /** Shown below them while they are not. */
  readonly locking: Html | null;
}

/** For those who may deploy. */
export async function deployLock(request: PageRequest): Promise<LockParts> {
  const { call, params } = request;
  const { guid } = params;
  const lock = await nullIfNone(call('getDeployLock', { params: { guid } }));
  const path = `/content/${guid}/lock`;
  if (lock === null) {
    const fields = html`${field(request, 'lock_reason', 'Why', '', { required: true, hint: 'Whoever tries to deploy reads it' })}
      ${field(request, 'until', 'Until', '', { type: 'date', hint: 'The last day, in UTC; leave empty for no end' })}<button>
        Lock deploys
      </button>`;
    const locking = html`<h2>Lock deploys</h2>
      <p>
        Nobody makes another bundle live until the lock ends. Drafts and rolling back a canary are possible.
      </p>
      ${form(request, path, fields, html`class="row"`)}`;
    return { notice: null, locking };
  }
  const { username, until, reason } = lock;
  const notice = html`<p class="note" role="note">
      ${username ?? 'A deleted user'} locked deploys of this
      content${until !== null && html` until ${time(until)}`}: ${reason}
    </p>
    ${actionButton(request, `${path}/remove`, 'Unlock deploys')}`;
  return { notice, locking: null };
}

export async function lockDeploys({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const until = (sent.get('until') ?? '').trim();
  const body = {
    reason: (sent.get('lock_reason') ?? '').trim(),
    // The last day is included.
    ...(until !== '' && { until: `${until}T23:59:59Z` }),
  };
  await call('setDeployLock', { params: { guid }, body });
  return { to: `/content/${guid}/bundles`, note: 'Deploys are locked.' };
}

export async function unlockDeploys({ call, params }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  await call('deleteDeployLock', { params: { guid } });
  return { to: `/content/${guid}/bundles`, note: 'Deploys are possible again.' };
}
