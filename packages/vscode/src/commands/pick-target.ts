// Picks a target of a directory, or adds another one.
import path from 'node:path';
import { readRecords } from '@pressroom/api/publish';
import { commands, l10n, QuickPickItemKind, window, type QuickPickItem } from 'vscode';
import { chooseActive, targetName } from '../store/targets.ts';
import { agoText, hostOf } from '../ui/texts.ts';
import type { CommandParts } from './command.ts';
import type { Published } from './content-of.ts';

interface TargetItem extends QuickPickItem {
  readonly found?: Published;
  readonly command?: string;
}

/** Undefined if nothing was picked, or another command continues. */
export async function pickTarget(
  { directories, memory }: Pick<CommandParts, 'directories' | 'memory'>,
  argument: unknown,
): Promise<Published | undefined> {
  const dir = await directories.meantBy(argument);
  if (dir === undefined) return undefined;
  const records = await readRecords(dir);
  const active = chooseActive(records, memory.target(dir));
  const items: TargetItem[] = records.map((record) => ({
    label: `${record === active ? '$(check) ' : ''}${targetName(record)}`,
    description: [
      ...(record === active ? [l10n.t('active target')] : []),
      record.name,
      ...(record.target === undefined ? [] : [hostOf(record.server)]),
    ].join(' · '),
    // Several documents of a folder may be published to one server.
    detail: [
      record.entrypoint ?? '',
      record.bundle_id === null ? l10n.t('not live yet') : agoText(record.deployed_time, Date.now()),
    ]
      .filter(Boolean)
      .join(' · '),
    found: { dir, record },
  }));
  const more: TargetItem[] = [
    ...(items.length > 0 ? [{ label: '', kind: QuickPickItemKind.Separator }] : []),
    { label: l10n.t('$(add) Publish as new content…'), command: 'pressroom.publishAsNew' },
    { label: l10n.t('$(link) Use existing content…'), command: 'pressroom.adoptContent' },
  ];
  const picked = await window.showQuickPick([...items, ...more], {
    title: l10n.t('Targets of {0}', path.basename(dir)),
    placeHolder: l10n.t('Select where to publish'),
    matchOnDescription: true,
  });
  if (picked?.command !== undefined) void commands.executeCommand(picked.command, dir);
  return picked?.found;
}
