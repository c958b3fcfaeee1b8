// Global setup of the editor tests: packs the extension, and installs it as a person would, beside the driver.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { makeVsix } from '../../packages/vscode/src/build/vsix.ts';
import { CODE_SERVER, NODE, stopSharedCodeServers } from './code-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    extensions: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'pressroom-extensions-'));
  const extensions = await installExtensions(dir);
  project.provide('extensions', extensions);
  return async () => {
    await stopSharedCodeServers(extensions);
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}

/** The editor's built-in extensions that tests use: each window starts all installed ones. */
const BUILTIN = [
  'configuration-editing',
  'css',
  'git',
  'git-base',
  'html',
  'ipynb',
  'javascript',
  'json',
  'markdown-basics',
  'media-preview',
  'notebook-renderers',
  'python',
  'r',
  'theme-defaults',
  'theme-modern-icons',
  'theme-seti',
  'yaml',
];

/** Returns the directory to start the editor with. */
export async function installExtensions(dir: string): Promise<string> {
  if (!existsSync(CODE_SERVER)) throw new Error('There is no editor: npm run setup installs it.');
  const builtin = join(dir, 'builtin');
  await mkdir(builtin);
  const all = join(dirname(CODE_SERVER), '../../lib/vscode/extensions');
  for (const name of BUILTIN) await symlink(join(all, name), join(builtin, name));
  await symlink(join(import.meta.dirname, 'driver'), join(builtin, 'driver'));
  const extensions = join(dir, 'extensions');
  const options = {
    '--extensions-dir': extensions,
    '--user-data-dir': join(dir, 'data'),
    '--config': join(dir, 'config.yaml'),
    '--install-extension': await makeVsix({ outdir: dir }),
  };
  execFileSync(NODE, [CODE_SERVER, ...Object.entries(options).flat()], {
    env: { ...process.env, NODE_OPTIONS: '', EXTENSIONS_GALLERY: '{}' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return extensions;
}
