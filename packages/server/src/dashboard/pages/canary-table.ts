// The canary of a content item on its bundles page: state, figures of both sides, and buttons to end it.
import type { Canary, CanaryFigures } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { nullIfNone, type PageRequest, type Redirect } from '../page.ts';
import { actionButton, field, form, table, time } from '../parts.ts';

const STATES: Readonly<Record<Canary['state'], string>> = {
  preparing: 'is being deployed',
  running: 'is running',
  waiting: 'waits to be made live',
  finishing: 'is being made live',
  live: 'is live',
  back: 'rolled back',
  replaced: 'was replaced',
  failed: 'did not deploy',
};

/** The current or last canary; null if there was none. For callers who may deploy. */
export function canaryOf({ call, params }: PageRequest): Promise<Canary | null> {
  return nullIfNone(call('getCanary', { params: { guid: params.guid } }));
}

const OPEN: ReadonlySet<Canary['state']> = new Set(['preparing', 'running', 'waiting', 'finishing']);

/** The bundle that is a canary now. */
export function openBundle(canary: Canary | null): string | null {
  return canary && OPEN.has(canary.state) ? canary.bundle_id : null;
}

/** With buttons to end it, while it is open. */
export function canaryFigures(request: PageRequest, canary: Canary): Html {
  const { guid } = request.params;
  const { task_id, state, reason, bundle_id, live_bundle_id, share, ends_time, waits } = canary;
  const path = `/content/${guid}/canary`;
  const isOpen = state === 'running' || state === 'waiting';
  const head = ['Bundle', 'Requests', 'Failed', 'Script errors', 'Crashes', 'Health failures', '90 % within'];
  const rows = [
    [`${bundle_id} (canary)`, ...cells(canary.canary)],
    [`${live_bundle_id} (live when it began)`, ...cells(canary.live)],
  ];
  const until = state === 'running' && ends_time !== null;
  return html`<p>
      The canary of bundle ${bundle_id}
      <strong>${STATES[state]}</strong>${reason !== null && `: ${reason}`}.
      ${state === 'running' && `It takes ${share} % of new sessions. `}
      ${until && (waits ? html`It waits to be made live from ${time(ends_time)} on.` : html`It goes live on ${time(ends_time)}.`)}
    </p>
    ${table('Canary', head, rows)}
    ${
      isOpen &&
      html`<div class="decide">
        ${actionButton(request, `${path}/promote`, 'Promote', { task_id })}
        ${form(
          request,
          `${path}/back`,
          html`<input
              type="hidden"
              name="task_id"
              value="${task_id}"
            />${field(request, 'reason', 'Reason')}<button>Roll back</button>`,
          html`class="inline"`,
        )}
      </div>`
    }`;
}

export async function promoteCanary({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const body = { task_id: sent.get('task_id') ?? '' };
  const { task_id } = await call('finishCanary', { params: { guid: params.guid }, body });
  return { to: `/tasks/${task_id}` };
}

export async function endCanary({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const reason = (sent.get('reason') ?? '').trim();
  const body = { task_id: sent.get('task_id') ?? '', ...(reason !== '' && { reason }) };
  const { bundle_id, live_bundle_id } = await call('endCanary', { params: { guid }, body });
  return {
    to: `/content/${guid}/bundles`,
    note: `Bundle ${bundle_id} was rolled back. New sessions get bundle ${live_bundle_id}.`,
  };
}

function cells(side: CanaryFigures): string[] {
  const { requests, errors, pages, script_errors, crashes, failed_starts, health_checks, health_failures } =
    side;
  return [
    String(requests),
    part(errors, requests),
    part(script_errors, pages),
    String(crashes + failed_starts),
    part(health_failures, health_checks),
    side.p90_ms === null ? '–' : `${side.p90_ms} ms`,
  ];
}

function part(count: number, of: number): string {
  return of === 0 ? String(count) : `${count} (${((100 * count) / of).toFixed(1)} %)`;
}
