// The last step of a first publish: content type, title and access.
import path from 'node:path';
import { findKind, kinds } from '@pressroom/api/contract';
import {
  renderedPage,
  type ContentCandidate,
  type Finding,
  type Inspection,
  type Rendering,
} from '@pressroom/api/publish';
import { l10n, QuickPickItemKind, ThemeIcon, window, type QuickPickItem } from 'vscode';
import type { Choice } from '../../store/memory.ts';
import { unlinked } from '../../ui/messages.ts';
import { whyText } from '../../ui/reasons.ts';
import { askPick, BACK } from '../../ui/steps.ts';
import { amountText, typeText } from '../../ui/texts.ts';
import type { Directories } from '../directories/directories.ts';
import type { Dependencies } from './dependencies.ts';
import { findingItem, needsConfirmation, fix } from './findings.ts';
import { packagesItem } from './packages-item.ts';

export interface ConfirmOptions {
  readonly title: string;
  readonly total: number;
  /** Server and account, for display. */
  readonly where: string;
  readonly server: string;
  /** Inspects the directory; called again after files were written there. */
  readonly inspect: () => Promise<Inspection>;
  /** The file of the command. */
  readonly file: string | undefined;
  /** Title of the content, if it is long enough; by default the directory's name. */
  readonly named?: string | undefined;
  readonly dependencies: Pick<Dependencies, 'check' | 'complete'>;
  readonly directories: Pick<Directories, 'uriOf' | 'update'>;
  /** Findings against publishing there. */
  readonly find: (inspection: Inspection, appmode: string, content: Content) => Promise<Finding[]>;
}

type Content = Pick<Choice, 'type' | 'entrypoint' | 'rendering'>;
type Access = NonNullable<Choice['access']>;

interface Item extends QuickPickItem {
  readonly does?: 'type' | 'title' | 'access' | 'packages';
  readonly candidate?: ContentCandidate;
  readonly rendering?: Rendering;
  readonly finding?: Finding;
}

/** Undefined if cancelled. */
export async function confirmContent({
  title,
  total,
  where,
  server,
  inspect,
  file,
  named = '',
  dependencies,
  directories,
  find,
}: ConfirmOptions): Promise<Choice | typeof BACK | undefined> {
  let inspection = await inspect();
  let content: Content | undefined;
  let name = isTitle(named) ? named : undefined;
  let access: Access | undefined;
  for (;;) {
    const candidates = ordered(inspection, file);
    const known = content !== undefined || candidates.length > 0;
    const appmode = content?.type ?? candidates[0]?.appmode ?? '';
    const [report, findings] = await Promise.all([
      dependencies.check(inspection.dir, appmode, inspection.collected.files),
      find(inspection, appmode, content ?? {}),
    ]);
    const own = itemsOf({ candidates, content, name, access, inspection });
    const packages = packagesItem(report);
    // Required if there is no list of packages; otherwise only offered, since missing packages may be false positives.
    const offered = report?.listedIn === null ? [...packages, ...own] : [...own, ...packages];
    const warnings = findings.filter((finding) => needsConfirmation(finding, []));
    const hints = findings.filter((finding) => !warnings.includes(finding));
    const rows = (list: readonly Finding[]) => list.map((finding) => findingItem(finding, server));
    const items: Item[] = [...rows(warnings), ...offered, ...rows(hints)];
    const picked = await askPick<Item>({
      title,
      step: total,
      total,
      back: true,
      placeholder: placeholderFor(items[0], known, amountText(inspection.collected), where),
      items,
    });
    if (picked === undefined || picked === BACK) return picked;
    if (picked.finding !== undefined) {
      if ((await fix(picked.finding, inspection.dir, directories)) === 'left') return undefined;
      inspection = await inspect();
      continue;
    }
    switch (picked.does) {
      case 'packages':
        if (report !== undefined) await dependencies.complete(inspection.dir, report);
        inspection = await inspect();
        break;
      case 'type':
        content = (await pickContent(inspection, path.basename(inspection.dir))) ?? content;
        break;
      case 'title':
        name = (await askTitle(name ?? path.basename(inspection.dir))) ?? name;
        break;
      case 'access':
        access = (await pickAccess()) ?? access;
        break;
      default: {
        const { candidate, rendering } = picked;
        const what = candidate === undefined ? content : contentOf(candidate, inspection, rendering);
        return {
          server,
          ...what,
          ...(name !== undefined && { title: name }),
          ...(access !== undefined && { access }),
          // Shown in this list, and not excluded.
          ...acceptedIn(findings),
        };
      }
    }
  }
}

/** Describes the action of Enter. */
function placeholderFor(first: Item | undefined, known: boolean, amount: string, where: string): string {
  if (first?.finding !== undefined || first?.does === 'packages')
    return l10n.t(
      '{0} will be published to {1}. Press Enter to fix the selected problem first.',
      amount,
      where,
    );
  return known
    ? l10n.t('{0} will be published to {1}. Press Enter to publish.', amount, where)
    : l10n.t('The type of this content is unknown. Press Enter to choose it.');
}

function acceptedIn(findings: readonly Finding[]): Pick<Choice, 'accepted'> {
  const accepted = findings.flatMap((finding) => (finding.code === 'secret-files' ? finding.files : []));
  return accepted.length > 0 ? { accepted } : {};
}

/** Asks for a type and its entry point. Undefined if cancelled. */
export async function pickContent(inspection: Inspection, name: string): Promise<Content | undefined> {
  const found = inspection.candidates;
  const others = kinds.filter(({ appmode }) => !found.some((candidate) => candidate.appmode === appmode));
  const items: (Item & { appmode?: string })[] = [
    ...found.flatMap((candidate) => candidateItems(candidate, inspection)),
    ...(found.length > 0 ? [{ label: '', kind: QuickPickItemKind.Separator }] : []),
    ...others.map(({ appmode }) => ({ label: typeText(appmode), appmode })),
  ];
  const picked = await window.showQuickPick(items, {
    title: l10n.t('Content Type of {0}', name),
    placeHolder: l10n.t('Select the type to publish as from now on'),
    matchOnDetail: true,
  });
  if (picked?.candidate !== undefined) return contentOf(picked.candidate, inspection, picked.rendering) ?? {};
  if (picked?.appmode === undefined) return undefined;
  const entrypoint = await pickStart(inspection, picked.appmode);
  return entrypoint === undefined ? undefined : { type: picked.appmode, entrypoint };
}

/** The entry point of a type: a file or `module:object`. */
async function pickStart({ collected }: Inspection, appmode: string): Promise<string | undefined> {
  const top = collected.files.map(({ path: name }) => name).filter((name) => !name.includes('/'));
  const kind = findKind(appmode);
  const usual = kind?.startsFrom ?? /./;
  const names = [...top.filter((name) => usual.test(name)), ...top.filter((name) => !usual.test(name))];
  const picked = await window.showQuickPick(names, {
    placeHolder: l10n.t('Select the file that the content starts from'),
  });
  if (picked === undefined || kind?.detection?.by !== 'python' || kind.detection.entry === 'file')
    return picked;
  const module = picked.replace(/\.py$/, '');
  return window.showInputBox({
    prompt: unlinked(l10n.t('Object that is the application, such as {0}', `${module}:app`)),
    value: `${module}:app`,
  });
}

/** Sorts candidates with the preferred entry point first, the others in their order. */
export function ordered(
  { dir, candidates }: Inspection,
  file: string | undefined,
): readonly ContentCandidate[] {
  if (file === undefined || path.dirname(file) !== dir) return candidates;
  const name = path.basename(file);
  const own = candidates.filter((candidate) => candidate.primary === name);
  return [...own, ...candidates.filter((candidate) => !own.includes(candidate))];
}

interface Shown {
  readonly candidates: readonly ContentCandidate[];
  readonly content: Content | undefined;
  readonly name: string | undefined;
  readonly access: Access | undefined;
  readonly inspection: Inspection;
}

function itemsOf({ candidates, content, name, access, inspection }: Shown): Item[] {
  const amount = amountText(inspection.collected);
  const chosen: Item[] =
    content?.type === undefined
      ? []
      : [{ label: typeText(content.type), description: `${content.entrypoint ?? ''} · ${amount}` }];
  return [
    ...chosen,
    ...candidates.flatMap((candidate) => candidateItems(candidate, inspection)),
    {
      label: candidates.length > 0 ? l10n.t('Choose another type…') : l10n.t('Choose the type…'),
      iconPath: new ThemeIcon('symbol-misc'),
      alwaysShow: true,
      does: 'type',
    },
    {
      label: l10n.t('Title: {0}', name ?? path.basename(inspection.dir)),
      iconPath: new ThemeIcon('edit'),
      alwaysShow: true,
      does: 'title',
    },
    {
      label: l10n.t(
        'Access: {0}',
        access === undefined ? l10n.t("the server's default") : accessText(access),
      ),
      iconPath: new ThemeIcon('lock'),
      alwaysShow: true,
      does: 'access',
    },
  ];
}

/** The candidate; a document rendered here can also be published with its page, or as that page. */
export function candidateItems(candidate: ContentCandidate, inspection: Inspection): Item[] {
  const { appmode, entrypoint, primary } = candidate;
  const page = renderedPage(candidate, inspection.collected.files);
  const item: Item = {
    label: typeText(appmode),
    description: `${entrypoint || primary} · ${amountText(inspection.collected)}`,
    detail: whyText(candidate),
    candidate,
  };
  if (page === null) return [item];
  return [
    item,
    {
      label: typeText(appmode),
      description: l10n.t('{0} with {1}', primary, page),
      detail: l10n.t('Readers see {0} as you rendered it, until the server has rendered {1}.', page, primary),
      candidate,
      rendering: 'both',
    },
    {
      label: typeText('static'),
      description: page,
      detail: l10n.t('{0} is published as you rendered it. {1} is not sent.', page, primary),
      candidate,
      rendering: 'local',
    },
  ];
}

/** The most likely candidate is not stored: a manifest.json in the directory takes precedence then. */
function contentOf(
  candidate: ContentCandidate,
  { candidates }: Inspection,
  rendering: Rendering | undefined,
): Content | undefined {
  if (candidate === candidates[0] && rendering === undefined) return undefined;
  const { appmode: type, entrypoint, primary } = candidate;
  return { type, entrypoint: entrypoint || primary, ...(rendering && { rendering }) };
}

function isTitle(text: string): boolean {
  return [...text.trim()].length >= 3;
}

async function askTitle(value: string): Promise<string | undefined> {
  const response = await window.showInputBox({
    prompt: l10n.t('Title of the new content, as people read it'),
    value,
    validateInput: (text) => (isTitle(text) ? undefined : l10n.t('Use at least 3 characters.')),
  });
  return response?.trim();
}

async function pickAccess(): Promise<Access | undefined> {
  const items = (['acl', 'logged_in', 'all'] as const).map((access) => ({
    label: accessText(access),
    access,
  }));
  const placeHolder = l10n.t('Select who may open the new content');
  return (await window.showQuickPick(items, { placeHolder }))?.access;
}

function accessText(access: Access): string {
  switch (access) {
    case 'acl':
      return l10n.t('only you, and whom you add');
    case 'logged_in':
      return l10n.t('everybody who is signed in');
    case 'all':
      return l10n.t('everybody, without signing in');
  }
}
