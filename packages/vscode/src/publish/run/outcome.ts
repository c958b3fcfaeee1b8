// Shows the outcome of a deploy, with buttons for next actions.
import { RefusedError } from '@pressroom/api/client';
import {
  BundleError,
  diagnose,
  waitsForApproval,
  type DoneEvent,
  type FailedEvent,
  type UnknownEvent,
} from '@pressroom/api/publish';
import { l10n, workspace } from 'vscode';
import type { DraftRef } from '../../store/bundle-contents.ts';
import { explain, oneLine, sentence, translated } from '../../ui/explain.ts';
import { showErrorMessage, showInformationMessage, showWarningMessage } from '../../ui/messages.ts';
import { openPage } from '../../ui/open-page.ts';
import type { Ending } from './drive.ts';

/** What the buttons do. */
export interface OutcomeActions {
  readonly showLog: () => void;
  /** Opens the file with the problem; undefined if none is known. */
  readonly openProblem: (() => void) | undefined;
  readonly retry: () => void;
  readonly publishAsNew: () => void;
  /** Writes requirements.txt, and publishes again. */
  readonly createRequirements: () => void;
  readonly signIn: () => void;
  readonly checkStatus: () => void;
  readonly rollBack: () => void;
  readonly openDashboard: (guid: string) => void;
  /** Makes a draft live. */
  readonly activate: (draft: Omit<DraftRef, 'server'>) => void;
}

/** Does not wait for a button. */
export function showOutcome(name: string, ending: Ending, actions: OutcomeActions): void {
  switch (ending.type) {
    case 'done': {
      if (workspace.getConfiguration('pressroom').get<boolean>('openAfterPublish', false))
        openPage(ending.url);
      if (ending.draft !== undefined) return offerDraft(name, ending, actions);
      if (ending.canary !== undefined) return offerCanary(name, ending, ending.canary, actions);
      return offer(...withWarnings(l10n.t('{0} is live.', name), ending), [
        [l10n.t('Open'), () => openPage(ending.url)],
        [l10n.t('Show Log'), actions.showLog],
      ]);
    }
    case 'broken': {
      const why = causeIn(ending.printed, ending.printed.at(-1) ?? '');
      const text = l10n.t(
        '{0} was deployed, but its page does not open (HTTP {1}). {2}',
        name,
        ending.status,
        why,
      );
      return offer(showErrorMessage, text.trim(), [
        [l10n.t('Show Log'), actions.showLog, STAYS],
        ...toProblem(actions),
        [l10n.t('Roll Back'), actions.rollBack],
        [l10n.t('Open'), () => openPage(ending.url)],
      ]);
    }
    case 'failed':
      if (waitsForApproval(ending.failure)) return offerApproval(name, ending, actions);
      return offer(showErrorMessage, failure(name, ending), [
        [l10n.t('Show Log'), actions.showLog, STAYS],
        ...toProblem(actions),
        ...next(ending, actions),
      ]);
    case 'unknown':
      return offer(showWarningMessage, unknown(name, ending), [
        ...(ending.refused ? [[l10n.t('Sign In Again'), actions.signIn] as const] : []),
        [l10n.t('Check Status'), actions.checkStatus],
        [l10n.t('Show Log'), actions.showLog, STAYS],
      ]);
    case 'cancelled': {
      const left = ending.left.map(oneLine).join(' ');
      if (left === '')
        return offer(showInformationMessage, l10n.t('Cancelled. Nothing was left on the server.'), []);
      return offer(showWarningMessage, l10n.t('Cancelled. {0}', left), [
        [l10n.t('Show Log'), actions.showLog],
      ]);
    }
  }
}

function withWarnings(text: string, { warnings }: Pick<Ending, 'warnings'>): [Show, string] {
  const show = warnings.length === 0 ? showInformationMessage : showWarningMessage;
  return [show, [text, ...warnings.map((warning) => sentence(oneLine(warning)))].join(' ')];
}

function offerDraft(
  name: string,
  { content, bundle_id, draft, url, ...ending }: DoneEvent & Pick<Ending, 'warnings'>,
  actions: OutcomeActions,
): void {
  const text = l10n.t('The draft of {0} is ready. Visitors see it once you make it live.', name);
  offer(...withWarnings(text, ending), [
    [l10n.t('Open Draft'), () => openPage(url), STAYS],
    [
      l10n.t('Make Live'),
      () => actions.activate({ guid: content.guid, bundle_id, draft_task_id: draft?.task_id }),
    ],
    [l10n.t('Show Log'), actions.showLog, STAYS],
  ]);
}

function offerCanary(
  name: string,
  { content, bundle_id, url }: DoneEvent,
  { share, waits }: NonNullable<DoneEvent['canary']>,
  actions: OutcomeActions,
): void {
  const text = waits
    ? l10n.t('{0} is a canary: {1} % of new sessions get it, until you make it live.', name, share)
    : l10n.t(
        '{0} is a canary: {1} % of new sessions get it. Later it goes live, unless it does worse.',
        name,
        share,
      );
  offer(showInformationMessage, text, [
    [l10n.t('Open'), () => openPage(url), STAYS],
    [l10n.t('Make Live'), () => actions.activate({ guid: content.guid, bundle_id })],
    [l10n.t('Show Log'), actions.showLog, STAYS],
  ]);
}

/** Without Retry: another bundle would take the place of this one, and lose its approvals. */
function offerApproval(name: string, { error, guid }: FailedEvent, actions: OutcomeActions): void {
  const text = l10n.t('{0} waits for approval: {1}', name, sentence(oneLine(error)));
  offer(showInformationMessage, text, [
    ...(guid === null
      ? []
      : [[l10n.t('Open in Dashboard'), () => actions.openDashboard(guid), STAYS] as const]),
    [l10n.t('Show Log'), actions.showLog, STAYS],
  ]);
}

function failure(
  name: string,
  { cause, error, failure: thrown, lines, left }: FailedEvent & Pick<Ending, 'lines'>,
): string {
  const why = thrown instanceof Error ? explain(thrown) : causeIn(lines, cause?.line ?? error);
  return l10n.t('Could not publish {0}: {1}', name, [why, ...left.map(oneLine)].join(' '));
}

/** The cause in an output with its remedy. */
function causeIn(lines: readonly string[], otherwise: string): string {
  const { line = otherwise, wording } = diagnose(lines) ?? {};
  return oneLine(`${sentence(line)} ${wording ? translated(wording) : ''}`);
}

function unknown(name: string, { ended, refused, forbidden, error }: UnknownEvent): string {
  if (refused)
    return l10n.t(
      '{0} may still be deploying, but the server no longer accepts your API key. Sign in again to check the status.',
      name,
    );
  if (ended) return l10n.t('{0} was deployed, but its result could not be read: {1}', name, oneLine(error));
  return forbidden
    ? l10n.t('{0} may still be deploying, but you may not see it any more: {1}', name, oneLine(error))
    : l10n.t('{0} may still be deploying: {1}', name, oneLine(error));
}

function toProblem({ openProblem }: OutcomeActions): Offer[] {
  return openProblem ? [[l10n.t('Open File at Line'), openProblem, STAYS]] : [];
}

function next(ending: FailedEvent, actions: OutcomeActions): (readonly [string, () => void])[] {
  if (ending.gone) return [[l10n.t('Publish as New'), actions.publishAsNew]];
  const { failure: thrown } = ending;
  const again = [l10n.t('Retry'), actions.retry] as const;
  if (thrown instanceof BundleError && thrown.code === 'requirements-missing')
    return [[l10n.t('Create requirements.txt'), actions.createRequirements], again];
  if (thrown instanceof RefusedError && thrown.status === 401)
    return [[l10n.t('Sign In Again'), actions.signIn], again];
  return [again];
}

type Show = (message: string, ...items: string[]) => Thenable<string | undefined>;

/** The editor closes a message when any button is pressed: after these buttons it is shown again, with the others. */
const STAYS = 'stays';
type Offer = readonly [label: string, act: () => void, after?: typeof STAYS];

function offer(show: Show, message: string, offers: readonly Offer[]): void {
  void show(message, ...offers.map(([label]) => label)).then((pressed) => {
    const chosen = offers.find(([label]) => label === pressed);
    chosen?.[1]();
    if (chosen?.[2] !== STAYS) return;
    offer(
      show,
      message,
      offers.filter((other) => other !== chosen),
    );
  });
}
