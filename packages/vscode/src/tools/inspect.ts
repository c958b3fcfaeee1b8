// Describes a folder: its type, the files of its bundle, its targets, and missing packages.
import path from 'node:path';
import { inspectDirectory } from '@pressroom/api/publish';
import { l10n } from 'vscode';
import { publishedFiles } from '../publish/plan/published-files.ts';
import { chooseActive } from '../store/targets.ts';
import { amountText } from '../ui/texts.ts';
import type { Tool, ToolParts } from './tool.ts';

const SHOWN = 40;

export const inspect: Tool = {
  title: 'Inspect content',
  description: 'Looks at what a folder would be published as. Nothing is sent.',
  model:
    'Describes one folder of the workspace before a publish: possible content types with reasons, files that would be sent and excluded, targets it was published to, and packages that are imported but not listed. Sends nothing.',
  icon: '$(checklist)',
  offline: true,
  prepare: async (parts, dir) => ({
    title: l10n.t('Inspect {0}?', path.basename(dir)),
    lines: [
      l10n.t('The names of its files and what it imports are read. Nothing is sent to a content server.'),
    ],
    run: () => inspected(parts, dir),
  }),
};

async function inspected(
  { directories, dependencies, memory, keys }: ToolParts,
  dir: string,
): Promise<string> {
  await directories.update(dir);
  const { candidates, collected, records } = await inspectDirectory(dir, {
    exclude: directories.excludeOf(dir),
  });
  const published = await publishedFiles(dir, directories, memory, collected);
  const active = chooseActive(records, memory.target(dir));
  const appmode = active?.app_mode ?? candidates[0]?.appmode ?? '';
  const report = await dependencies.check(dir, appmode);
  const response = {
    folder: dir,
    types: candidates.map(({ appmode: type, entrypoint, primary, why }) => ({
      type,
      entrypoint: entrypoint || primary,
      why,
    })),
    bundle: amountText(published),
    files: published.files.slice(0, SHOWN).map((file) => file.path),
    excluded: published.excluded.slice(0, SHOWN),
    targets: records.map((record) => ({
      name: record.target ?? record.name,
      server: record.server,
      guid: record.guid,
      type: record.app_mode,
      bundle: record.bundle_id,
      active: record === active,
    })),
    servers: keys.accounts().map(({ server }) => server),
    packages: report && {
      listedIn: report.listedIn,
      missing: report.missing.map((item) => ({ package: item.package, file: item.file, line: item.line })),
      unpinned: report.unpinned.map(({ name }) => name),
    },
  };
  return JSON.stringify(response, null, 1);
}
