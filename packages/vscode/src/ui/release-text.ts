// The tooltip of a bundle's release: its state, its steps, and whom it affects.
import { commitText, type BundleRelease, type CanaryFigures } from '@pressroom/api/contract';
import { l10n } from 'vscode';
import { linksText, usedText } from './texts.ts';

/** Maximum steps shown, newest. */
const SHOWN = 12;

/** Lines of plain text. */
export function releaseLines({
  state,
  approval,
  canary,
  commit,
  steps,
  use,
  links,
}: BundleRelease): string[] {
  return [
    stateText(state),
    ...(commit === null ? [] : [commitText(commit)]),
    ...(approval === null
      ? []
      : [l10n.t('Approvals: {0} of {1}', approval.approvals.length, approval.needed)]),
    ...(canary === null
      ? []
      : [
          l10n.t('Canary: {0}', figuresText(canary.canary)),
          l10n.t('Live meanwhile: {0}', figuresText(canary.live)),
        ]),
    ...(use === null ? [] : [usedText(use)]),
    ...(links.total === 0 ? [] : [linksText(links)]),
    ...steps
      .slice(-SHOWN)
      .map(({ what, time, username, reason }) =>
        [new Date(time).toLocaleString(), stepText(what), username, reason].filter(Boolean).join(' · '),
      ),
  ];
}

function figuresText({ requests, errors, p90_ms }: CanaryFigures): string {
  const time = p90_ms === null ? '–' : `${p90_ms} ms`;
  return l10n.t('{0} requests, {1} failed, 90 % within {2}', requests, errors, time);
}

function stateText(state: BundleRelease['state']): string {
  const texts: Record<BundleRelease['state'], string> = {
    uploaded: l10n.t('Uploaded, not deployed'),
    deploying: l10n.t('Being deployed'),
    failed: l10n.t('Not live: the deploy failed'),
    draft: l10n.t('A draft'),
    held: l10n.t('Held for review: the rendering shrank'),
    asked: l10n.t('Waiting for approval'),
    approved: l10n.t('Approved, not live yet'),
    canary: l10n.t('A canary: it takes a share of new sessions'),
    back: l10n.t('Not live: it was rolled back'),
    live: l10n.t('Live'),
    past: l10n.t('Was live'),
  };
  return texts[state];
}

function stepText(what: BundleRelease['steps'][number]['what']): string {
  const texts: Record<typeof what, string> = {
    uploaded: l10n.t('uploaded'),
    started: l10n.t('deploy started'),
    ready: l10n.t('draft ready'),
    failed: l10n.t('deploy failed'),
    asked: l10n.t('asked for approval'),
    approved: l10n.t('approved'),
    overridden: l10n.t('approvals overridden'),
    canary: l10n.t('canary began'),
    back: l10n.t('rolled back'),
    replaced: l10n.t('canary replaced'),
    live: l10n.t('live'),
  };
  return texts[what];
}
