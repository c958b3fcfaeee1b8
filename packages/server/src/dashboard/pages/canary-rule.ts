// How new bundles go live, on the settings page: as canaries, or with a review of renderings that shrank.
import {
  engineOf,
  errors,
  MAX_CANARY_SECONDS,
  type CanaryRule,
  type ContentGa,
} from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { nullIfNone, type PageRequest, type Redirect } from '../page.ts';
import { field, form, numberOrText, requireUnchanged, shownFields } from '../parts.ts';

const MAX_MINUTES = MAX_CANARY_SECONDS / 60;

/** Empty for content that has neither. */
export async function canaryRule(
  request: PageRequest,
  { app_mode, guid }: ContentGa,
  path: string,
): Promise<Html | false> {
  const engine = engineOf(app_mode);
  if (engine !== 'application' && engine !== 'document') return false;
  const rule = await nullIfNone(request.call('getCanaryRule', { params: { guid } }));
  if (engine === 'document')
    return form(
      request,
      `${path}/canary`,
      html`${shownFields(request, 'canary', shownOf(rule))}${field(
          request,
          'shrink_limit',
          'Hold renderings that shrink by (%)',
          rule?.shrink_limit ?? '',
          {
            hint: 'One with so much less text, or fewer pictures, is shown once somebody has looked at it. Leave empty to show all',
          },
        )}<button>Save review</button>`,
    );
  const fields = html`${shownFields(request, 'canary', shownOf(rule))}${field(
      request,
      'canary_share',
      'Share of new sessions (%)',
      rule?.share ?? '',
      {
        hint: '1 to 50. Leave empty: new bundles go live at once',
      },
    )}
    ${lengthField(request, rule)}
    ${field(request, 'health_path', 'Path that must answer', rule?.health_path ?? '', { placeholder: '/health', hint: 'Asked for every few seconds; leave empty for none' })}
    <p>
      <label class="check"
        ><input
          type="checkbox"
          name="canary_waits"
          ${(request.form.has('canary_share') ? request.form.has('canary_waits') : rule?.waits) && html`checked`}
        />
        Wait until somebody promotes it</label
      >
    </p>
    <button>Save canary</button>`;
  return html`<p>
      A new bundle first gets a share of the new sessions. If it does worse than the live one, it is rolled
      back.
    </p>
    ${form(request, `${path}/canary`, fields)}`;
}

/** What the form shows. */
function shownOf(rule: CanaryRule | null) {
  const { share = null, length = null, health_path = null, waits = false, shrink_limit = null } = rule ?? {};
  return { share, length, health_path, waits, shrink_limit };
}

function describe(rule: CanaryRule | null, isDocument: boolean): string {
  const { share, length, health_path = null, waits, shrink_limit = null } = rule ?? {};
  if (isDocument && shrink_limit === null) return 'all renderings are shown';
  if (isDocument) return `renderings that shrink by ${shrink_limit} % are held`;
  if (length === undefined) return 'new bundles go live at once';
  const health = health_path === null ? '' : `, ${health_path} must answer`;
  const end = waits ? ', it waits until somebody promotes it' : '';
  return `${share} % of new sessions for ${minutesOf(length)} minutes${health}${end}`;
}

export function minutesOf(seconds: number): number {
  return Math.round(seconds / 60);
}

/** Seconds. @param rule shown in the form; set elsewhere, it may have parts of a minute */
export function sentLength({ form: sent }: PageRequest, rule: CanaryRule | null): number {
  const minutes = Number(sent.get('canary_minutes') ?? '');
  if (rule && minutes === minutesOf(rule.length)) return rule.length;
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES)
    throw errors.invalidParameter({
      message: `length must be a whole number from 1 to ${MAX_MINUTES}`,
      field: 'length',
    });
  return minutes * 60;
}

export function lengthField(request: PageRequest, rule: CanaryRule | null): Html {
  return field(request, 'canary_minutes', 'Length (minutes)', minutesOf(rule?.length ?? 1800));
}

export async function saveCanaryRule(request: PageRequest): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const { guid } = params;
  const to = `/content/${guid}/settings`;
  const text = (name: string) => (sent.get(name) ?? '').trim();
  const isDocument = sent.has('shrink_limit');
  const rule = await nullIfNone(call('getCanaryRule', { params: { guid } }));
  requireUnchanged(request, 'canary', shownOf(rule), describe(rule, isDocument));
  if (text(isDocument ? 'shrink_limit' : 'canary_share') === '') {
    await call('deleteCanaryRule', { params: { guid } });
    return { to, note: isDocument ? 'All renderings are shown.' : 'New bundles go live at once.' };
  }
  if (isDocument) {
    await call('setCanaryRule', {
      params: { guid },
      body: { shrink_limit: numberOrText(text('shrink_limit')) },
    });
    return { to, note: 'Renderings that shrink are held for review.' };
  }
  const body = {
    share: numberOrText(text('canary_share')),
    length: sentLength(request, rule),
    health_path: text('health_path') || null,
    waits: sent.has('canary_waits'),
  };
  await call('setCanaryRule', { params: { guid }, body });
  return { to, note: 'New bundles begin as canaries.' };
}
