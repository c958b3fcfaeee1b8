// Everything that happens before the first byte is sent: what goes in, what it is, and its manifest.
import path from 'node:path';
import { collectFiles, type CollectedFiles } from '../bundle/collect-files.ts';
import type { Manifest } from '../bundle/manifest.ts';
import type { CollectEvent, DeployOptions } from './deploy-events.ts';

export interface Prepared {
  collected: CollectedFiles;
  manifest: Manifest;
  event: CollectEvent;
}

/** Throws BundleError or the signal's reason. */
export async function prepareBundle(options: DeployOptions): Promise<Prepared> {
  const { dir, signal } = options;
  const collected = await collectFiles(dir, {
    ...(options.include !== undefined && { include: options.include }),
    ...(options.exclude !== undefined && { exclude: options.exclude }),
    ...(signal !== undefined && { signal }),
  });
  const html =
    collected.files.find((file) => file.path === 'index.html') ??
    collected.files.find((file) => /^[^/]+\.html?$/.test(file.path));
  const entrypoint = options.entrypoint ?? html?.path ?? null;
  const app_mode = options.type ?? 'static';
  const manifest: Manifest = {
    version: 1,
    metadata: { appmode: app_mode, primary_html: entrypoint },
    files: Object.fromEntries(collected.files.map((file) => [file.path, { checksum: '' }])),
  };
  return {
    collected,
    manifest,
    event: {
      type: 'collect',
      count: collected.count,
      bytes: collected.bytes,
      largest: collected.largest,
      excluded: collected.excluded,
      excludedCount: collected.excludedCount,
      warnings: collected.warnings,
      app_mode,
      entrypoint,
      files: collected.files.map((file) => file.path),
    },
  };
}

/** What a directory is called, for deriving names and titles. */
export function directoryName(dir: string): string {
  return path.basename(path.resolve(dir));
}
