// Reads the manifest and its texts. They are generated from the commands, which need an editor to load: a stub replaces
// it.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { buildSync } from 'esbuild';
import type * as Manifest from '../manifest/manifest.ts';
import { stubEditor } from './stub-editor.ts';

export function readManifest(): typeof Manifest {
  const { outputFiles } = buildSync({
    entryPoints: [join(import.meta.dirname, '../manifest/manifest.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  const own = createRequire(import.meta.url);
  const module = { exports: {} };
  const require = (name: string): unknown => (name === 'vscode' ? stubEditor : own(name));
  compileFunction(outputFiles[0]?.text ?? '', ['module', 'require'])(module, require);
  return module.exports as typeof Manifest;
}
