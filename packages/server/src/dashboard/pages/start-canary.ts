// Starts a bundle as a canary with a share of its own, on the page of its release.
import { engineOf, type BundleRelease, type CanaryRule, type ContentGa } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { nullIfNone, type PageRequest, type Redirect } from '../page.ts';
import { actionButton, field, form, numberOrText } from '../parts.ts';
import { lengthField, sentLength } from './canary-rule.ts';
import { isCollaborator } from './content-frame.ts';

const DEFAULT_SHARE = 5;
/** In these, the bundle is live or on its way there, or may not go there yet. */
const WITHOUT: ReadonlySet<BundleRelease['state']> = new Set(['live', 'canary', 'deploying', 'asked']);

/** Whether a bundle of this content can be a canary beside what is live. */
export function mayHaveCanary(request: PageRequest, item: ContentGa): boolean {
  return (
    isCollaborator(request, item) && engineOf(item.app_mode) === 'application' && item.bundle_id !== null
  );
}

/** The rule that makes canaries of new bundles; null where a bundle goes live at once. */
export async function ruleFor(
  request: PageRequest,
  item: ContentGa,
  { state }: BundleRelease,
): Promise<CanaryRule | null> {
  // What was live before goes live at once.
  return mayHaveCanary(request, item) && state !== 'past' ? ruleOf(request) : null;
}

/** @param rule see `ruleFor` */
export function canaryStart(
  request: PageRequest,
  item: ContentGa,
  { bundle_id, state, draft }: BundleRelease,
  rule: CanaryRule | null,
): Html | false {
  if (!mayHaveCanary(request, item) || WITHOUT.has(state)) return false;
  const path = `/content/${item.guid}/bundles/${bundle_id}/canary`;
  const fields = html`${draft && html`<input type="hidden" name="draft_task_id" value="${draft.task_id}" />`}
    ${field(request, 'canary_share', 'Share of new sessions (%)', rule?.share ?? DEFAULT_SHARE, { required: true, hint: '1 to 50' })}
    ${lengthField(request, rule)}<button>Start canary</button>`;
  return html`<h2 id="canary">Canary</h2>
    <p>
      This bundle gets a share of the new sessions, beside the live one. If it does worse, it is rolled back;
      otherwise it goes live${rule?.waits ? ' once somebody promotes it' : ''}.
    </p>
    ${form(request, path, fields, html`class="row"`)}
    ${
      rule &&
      html`<p>
        New bundles of this content begin as canaries.
        ${actionButton(request, path, 'Make live without a canary', { canary_share: '0', ...(draft && { draft_task_id: draft.task_id }) })}
      </p>`
    }`;
}

function ruleOf({ call, params }: PageRequest) {
  return nullIfNone(call('getCanaryRule', { params: { guid: params.guid } }));
}

export async function startCanary(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const { guid, id } = params;
  const typed = (sent.get('canary_share') ?? '').trim();
  // Nothing typed is no 0, with which it would go live.
  const share = typed === '' ? typed : numberOrText(typed);
  const length = share === 0 ? {} : { length: sentLength(request, await ruleOf(request)) };
  const body = { bundle_id: id, canary: { share, ...length }, draft_task_id: sent.get('draft_task_id') };
  const { task_id } = await call('deployContentBundleGa', { params: { guid }, body });
  return { to: `/tasks/${task_id}` };
}
