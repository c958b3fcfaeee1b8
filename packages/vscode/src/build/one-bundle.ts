// One file for both kinds of hosts: what is of Node.js is taken from Node.js where there is one, else from what stands in.
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { plainContract } from './plain-contract.ts';

const platform = join(import.meta.dirname, '../web/platform');
const IN_BROWSER = join(platform, 'in-browser.ts');

/** By module: what stands in for it in browsers. The others are not there: whoever uses them checks, or is not called. */
const STAND_INS: Readonly<Record<string, string>> = {
  'buffer/index.js': `require('buffer/index.js')`,
  'node:buffer': `require(${JSON.stringify(join(platform, 'bytes.ts'))})`,
  'node:crypto': `require(${JSON.stringify(join(platform, 'crypto.ts'))})`,
  'node:fs': `require(${JSON.stringify(join(platform, 'files.ts'))})`,
  'node:fs/promises': `require(${JSON.stringify(join(platform, 'files.ts'))}).promises`,
  'node:os': `require(${JSON.stringify(join(platform, 'os.ts'))})`,
  'node:path': `require('path-browserify')`,
  'node:stream': `require(${JSON.stringify(join(platform, 'streams.ts'))})`,
  'node:timers/promises': `require(${JSON.stringify(join(platform, 'timers.ts'))})`,
  'node:util': `require(${JSON.stringify(join(platform, 'util.ts'))})`,
};

const ONLY_IN_BROWSERS: ReadonlySet<string> = new Set(['buffer/index.js']);

/** The editor applies its proxies and certificates to these names, without the prefix. */
const OF_THE_EDITOR: Readonly<Record<string, string>> = { 'node:http': 'http', 'node:https': 'https' };

const chosen: Plugin = {
  name: 'chosen-at-run-time',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace === 'chosen'
        ? { path: OF_THE_EDITOR[path] ?? path, external: true }
        : { path, namespace: 'chosen' },
    );
    // A parser that needs streams of Node.js from the first line on, and what Node.js has of its own.
    onResolve({ filter: /^(tar\/parse|buffer\/index\.js)$/ }, ({ path, namespace }) =>
      namespace === 'chosen' ? undefined : { path, namespace: 'chosen' },
    );
    onLoad({ filter: /.*/, namespace: 'chosen' }, async ({ path }) => ({
      contents: `const { IN_BROWSER } = require(${JSON.stringify(IN_BROWSER)});
if (IN_BROWSER) module.exports = ${STAND_INS[path] ?? '{}'};
else ${await ofNode(path)}`,
      resolveDir: import.meta.dirname,
    }));
  },
};

/** Takes a module from Node.js. What only some commands need is loaded when one of its exports is used: editors start faster. */
async function ofNode(path: string): Promise<string> {
  if (ONLY_IN_BROWSERS.has(path)) return '{}';
  const required = `require(${JSON.stringify(path)})`;
  if (!LATER.test(path)) return `module.exports = ${required};`;
  const names = Object.keys((await import(path)) as object).filter((name) => name !== 'default');
  return `for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => ${required}[name] });`;
}

const LATER = /^(tar\/parse|node:(child_process|crypto|https?|stream\/promises|tls|zlib))$/;

/** Bundles the extension. */
export async function bundle(outfile: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, '../extension.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['vscode'],
    
    inject: [join(platform, 'buffer.ts')],
    plugins: [plainContract, chosen],
    logLevel: 'warning',
  });
}
