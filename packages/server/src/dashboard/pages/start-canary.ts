// Starts a bundle as a canary with a share of its own, on the page of its release.
import { engineOf, type BundleRelease, type CanaryRule, type ContentGa } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { nullIfNone, type PageRequest, type Redirect } from '../page.ts';
import { actionButton, field, form, inRow, numberOrText } from '../parts.ts';
import { lengthField, minutesOf, sentLength } from './canary-rule.ts';
import { canaryOf, openBundle } from './canary-table.ts';
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

/** The rule that makes a canary of a bundle; null for one that goes live at once. */
export type RuleFor = (bundleId: string) => CanaryRule | null;

export async function rulesFor(request: PageRequest, item: ContentGa): Promise<RuleFor> {
  const rule = mayHaveCanary(request, item) ? await ruleOf(request) : null;
  if (rule === null) return () => null;
  const { call, params } = request;
  const deploys = await call('getContentDeploys', { params: { guid: params.guid } });
  // What was live before goes live at once, and so does the canary itself.
  const atOnce = new Set(deploys.flatMap(({ bundle_id, was_live }) => (was_live ? [bundle_id] : [])));
  const canaryId = openBundle(await canaryOf(request));
  return (id) => (atOnce.has(id) || id === canaryId ? null : rule);
}

/** The button that makes a bundle live, or begins a canary where the rule of the content says so. */
export function goLiveButton(
  request: PageRequest,
  ruleFor: RuleFor,
  label: string,
  named: { readonly bundle_id: string; readonly draft_task_id?: string },
): Html {
  const path = `/content/${request.params.guid}`;
  const { bundle_id } = named;
  const rule = ruleFor(bundle_id);
  if (rule === null)
    return actionButton(request, `${path}/deploy`, inRow(label, `bundle ${bundle_id}`), { ...named });
  const text = inRow(`Start canary (${rule.share} %)`, `of bundle ${bundle_id}`);
  const limits = { canary_share: String(rule.share), canary_minutes: String(minutesOf(rule.length)) };
  return actionButton(request, `${path}/bundles/${bundle_id}/canary`, text, { ...named, ...limits });
}

/** @param rule of this bundle */
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
