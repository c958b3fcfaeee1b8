// How new bundles go live, on the settings page: as canaries, or with a review of renderings that shrank.
import { engineOf, errors, MAX_CANARY_SECONDS, type ContentGa } from '@pressroom/api/contract';
import { html, type Html } from '../html.ts';
import { nullIfNone, type PageRequest, type Redirect } from '../page.ts';
import { field, form, numberOrText } from '../parts.ts';

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
    return html`<h2>Review of renderings</h2>
      ${form(
        request,
        `${path}/canary`,
        html`${field(
            request,
            'shrink_limit',
            'Hold renderings that shrink by (%)',
            rule?.shrink_limit ?? '',
            {
              hint: 'One with so much less text, or fewer pictures, is shown once somebody has looked at it. Leave empty to show all',
            },
          )}<button>Save review</button>`,
      )}`;
  const fields = html`${field(request, 'canary_share', 'Share of new sessions (%)', rule?.share ?? '', {
      hint: '1 to 50. Leave empty: new bundles go live at once',
    })}
    ${field(request, 'canary_minutes', 'Length (minutes)', Math.round((rule?.length ?? 1800) / 60))}
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
  return html`<h2>Canary</h2>
    <p>
      A new bundle first gets a share of the new sessions. If it does worse than the live one, it is rolled
      back.
    </p>
    ${form(request, `${path}/canary`, fields)}`;
}

export async function saveCanaryRule({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const { guid } = params;
  const to = `/content/${guid}/settings`;
  const text = (name: string) => (sent.get(name) ?? '').trim();
  const isDocument = sent.has('shrink_limit');
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
  const minutes = Number(text('canary_minutes'));
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES)
    throw errors.invalidParameter({
      message: `length must be a whole number from 1 to ${MAX_MINUTES}`,
      field: 'length',
    });
  const body = {
    share: numberOrText(text('canary_share')),
    length: minutes * 60,
    health_path: text('health_path') || null,
    waits: sent.has('canary_waits'),
  };
  await call('setCanaryRule', { params: { guid }, body });
  return { to, note: 'New bundles begin as canaries.' };
}
