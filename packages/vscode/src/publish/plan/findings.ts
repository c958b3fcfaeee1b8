// Findings before a publish, as rows of a list: each says what it is, and what Enter does about it.
import path from 'node:path';
import type { Finding } from '@pressroom/api/publish';
import { commands, l10n, window, workspace, type QuickPickItem } from 'vscode';
import { openPage } from '../../ui/open-page.ts';
import { hostOf, sizeText, typeText } from '../../ui/texts.ts';
import type { Directories } from '../directories/directories.ts';
import { IGNORE_FILE, writeChoices } from '../directories/ignore-file.ts';

export interface FindingItem extends QuickPickItem {
  readonly finding: Finding;
}

/** The server would refuse it: publishing anyway is not offered. */
export function isRefused({ code }: Finding): boolean {
  return code === 'locked' || code === 'not-editor' || code === 'other-type';
}

/** Files accepted in an earlier publish need none. */
export function needsConfirmation(finding: Finding, accepted: readonly string[]): boolean {
  if (finding.code === 'secret-files') return finding.files.some((file) => !accepted.includes(file));
  return finding.code !== 'other-runtime';
}

export function findingItem(finding: Finding, server: string): FindingItem {
  return { ...textsOf(finding, hostOf(server)), finding, alwaysShow: true };
}

/** In one line, for logs and language models. */
export function findingText(finding: Finding, server: string): string {
  const { label, detail = '' } = textsOf(finding, hostOf(server));
  return `${label.replace(/^\$\([\w-]+\) /, '')}. ${detail}`.trim();
}

function textsOf(finding: Finding, host: string): { readonly label: string; readonly detail?: string } {
  switch (finding.code) {
    case 'locked':
      return {
        label: l10n.t('$(lock) {0} is locked on the server', finding.content),
        detail: [finding.reason, l10n.t('Open it in the dashboard to unlock it, or ask its owner.')]
          .filter((text) => text !== '')
          .join(' '),
      };
    case 'not-editor':
      return {
        label: l10n.t('$(circle-slash) You may not publish to {0}', finding.content),
        detail: l10n.t('Publish it as new content, or ask its owner to make you a collaborator.'),
      };
    case 'other-type':
      return {
        label: l10n.t(
          '$(warning) {0} was published as another type: {1}',
          finding.content,
          typeText(finding.published),
        ),
        detail: l10n.t('Content keeps its type. Publish it as new content: {0}', typeText(finding.type)),
      };
    case 'no-runtime':
      return {
        label: l10n.t('$(warning) {0} does not run {1}', host, finding.language),
        detail: l10n.t('Publish to another server, or ask an administrator to install it.'),
      };
    case 'other-runtime':
      return {
        label: l10n.t(
          '$(info) The server has {0} {1}, and not {2}',
          finding.language,
          finding.installed.join(', '),
          finding.wanted,
        ),
        detail: l10n.t(
          '{0} names the version. The server may take one of its own instead, or refuse.',
          finding.from,
        ),
      };
    case 'too-large':
      return {
        label: l10n.t(
          '$(warning) {0} may be too large: {1} takes {2}',
          sizeText(finding.bytes),
          host,
          sizeText(finding.limit),
        ),
        detail: l10n.t('Preview the bundle to exclude files.'),
      };
    case 'secret-files':
      if (finding.isListed)
        return {
          label: l10n.t('$(key) manifest.json lists files that may hold secrets'),
          detail: l10n.t('{0}: write manifest.json again without them.', namesOf(finding.files)),
        };
      return {
        label: l10n.t('$(key) Exclude files that may hold secrets'),
        detail: l10n.t('{0}: set variables on the server instead.', namesOf(finding.files)),
      };
  }
}

const SHOWN = 5;

export function namesOf(files: readonly string[]): string {
  const shown = files.slice(0, SHOWN).join(', ');
  return files.length > SHOWN ? l10n.t('{0} and {1} more', shown, files.length - SHOWN) : shown;
}

/** Result of Enter on a finding. */
export type Fixed =
  /** Checks again: it may be fixed. */
  | 'again'
  /** Continued in another view. */
  | 'left'
  | 'as-new';

export async function fix(
  finding: Finding,
  dir: string,
  directories: Pick<Directories, 'uriOf' | 'update'>,
): Promise<Fixed> {
  switch (finding.code) {
    case 'locked':
      if (finding.dashboard === null) return 'again';
      openPage(finding.dashboard);
      return 'left';
    case 'not-editor':
    case 'other-type':
      return 'as-new';
    case 'too-large':
      await commands.executeCommand('pressroom.showFiles', dir);
      return 'left';
    case 'secret-files':
      if (finding.isListed) {
        await window.showTextDocument(directories.uriOf(path.join(dir, 'manifest.json')));
        return 'left';
      }
      await exclude(finding.files, dir, directories);
      return 'again';
    case 'no-runtime':
      void commands.executeCommand('pressroom.publishTo', dir);
      return 'left';
    case 'other-runtime':
      await window.showTextDocument(directories.uriOf(path.join(dir, finding.from)));
      return 'left';
  }
}

/** In the ignore file that check boxes of the Files view write. */
async function exclude(
  files: readonly string[],
  dir: string,
  { uriOf, update }: Pick<Directories, 'uriOf' | 'update'>,
): Promise<void> {
  const choices = files.map((file) => ({ path: file, isIncluded: false }));
  await writeChoices(workspace.fs, uriOf(path.join(dir, IGNORE_FILE)), choices);
  await update(dir);
}
