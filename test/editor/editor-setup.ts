// Global setup of the editor tests: packs the extension and the driver, and installs both as a person would.
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
  const driver = join(dir, 'driver.vsix');
  const vsce = join(import.meta.dirname, '../../node_modules/@vscode/vsce/vsce');
  const skip = [
    '--allow-missing-repository',
    '--no-dependencies',
    '--skip-license',
    '--allow-star-activation',
  ];
  execFileSync(process.execPath, [vsce, 'package', ...skip, '--out', driver], {
    cwd: join(import.meta.dirname, 'driver'),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const builtin = join(dir, 'builtin');
  await mkdir(builtin);
  const all = join(dirname(CODE_SERVER), '../../lib/vscode/extensions');
  for (const name of BUILTIN) await symlink(join(all, name), join(builtin, name));
  const extensions = join(dir, 'extensions');
  const packages = [await makeVsix(), driver].flatMap((file) => ['--install-extension', file]);
  const where = {
    '--extensions-dir': extensions,
    '--user-data-dir': join(dir, 'data'),
    '--config': join(dir, 'config.yaml'),
  };
  execFileSync(NODE, [CODE_SERVER, ...Object.entries(where).flat(), ...packages], {
    env: { ...process.env, NODE_OPTIONS: '', EXTENSIONS_GALLERY: '{}' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return extensions;
}
