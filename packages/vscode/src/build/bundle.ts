// Files of the extension's code: views (extension.js), commands (actions-….js), code shared by both (chunk-….js), and a
// loader for browsers (web.js).
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build, transform, type BuildOptions, type Plugin } from 'esbuild';
import { plainContract } from './plain-contract.ts';

const src = join(import.meta.dirname, '..');
const shared = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node22',
  external: ['vscode'],
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The editor applies its proxies and certificates to these names only without the prefix. */
const OF_THE_EDITOR: Readonly<Record<string, string>> = { 'node:http': 'http', 'node:https': 'https' };
/** Modules that only some commands need are loaded on first use. In browsers the parser could not be loaded at all. */
const LATER = /^(tar\/parse|node:(child_process|crypto|https?|stream\/promises|tls|zlib))$/;

const loadedLater: Plugin = {
  name: 'loaded-later',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: LATER }, ({ path, namespace }) => {
      if (namespace !== 'later') return { path, namespace: 'later' };
      return path.startsWith('node:') ? { path: OF_THE_EDITOR[path] ?? path, external: true } : undefined;
    });
    onLoad({ filter: /.*/, namespace: 'later' }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object).filter((name) => name !== 'default');
      return {
        contents: `for (const name of ${JSON.stringify(names)})
  Object.defineProperty(exports, name, { enumerable: true, get: () => require(${JSON.stringify(path)})[name] });`,
        resolveDir: import.meta.dirname,
      };
    });
  },
};

/**
 * Imports from an index are resolved to the file it exports from. Otherwise all exports of an index would be needed by
 * whoever imports any, and land in the file that is loaded first.
 */
const pastIndexes: Plugin = {
  name: 'past-indexes',
  setup({ onResolve, onLoad, resolve }) {
    onResolve(
      { filter: /^@pressroom\/api\/|^\.\.\/\w+\/index\.ts$/ },
      async ({ path, importer, pluginData, ...rest }) => {
        if (pluginData === pastIndexes.name) return undefined;
        const index = await resolve(path, { ...rest, importer, pluginData: pastIndexes.name });
        const imported = (await readFile(importer, 'utf8')).split(`} from '${path}'`)[0]!.split('{').at(-1)!;
        const wanted = new Set(imported.match(/\w+/g));
        return { path: index.path, suffix: `?${importer}`, namespace: 'index', pluginData: wanted };
      },
    );
    onLoad({ filter: /.*/, namespace: 'index' }, async ({ path, pluginData }) => {
      const wanted = pluginData as ReadonlySet<string>;
      const lines: string[] = [];
      for (const [, from] of (await readFile(path, 'utf8')).matchAll(/ from '(\..+)'/g)) {
        const file = join(dirname(path), from!);
        const names = Object.keys((await import(file)) as object).filter((name) => wanted.has(name));
        if (names.length > 0) lines.push(`export { ${names.join()} } from ${JSON.stringify(file)};`);
      }
      return { contents: lines.join('\n'), resolveDir: dirname(path) };
    });
  },
};

/** Bundles the extension into a directory. */
export async function bundle(outdir: string): Promise<void> {
  await mkdir(outdir, { recursive: true });
  const { outputFiles } = await build({
    ...shared,
    entryPoints: [join(src, 'extension.ts')],
    outdir,
    // Only this format is split; it is converted below to one that hosts of the editor load.
    format: 'esm',
    splitting: true,
    plugins: [plainContract, loadedLater, pastIndexes],
    write: false,
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      minify: true,
      platform: 'node',
      target: 'node22',
      supported: { 'dynamic-import': false },
    });
    await writeFile(path, code);
  }
  await build({
    ...shared,
    entryPoints: [join(src, 'web/extension.ts')],
    outfile: join(outdir, 'web.js'),
    format: 'cjs',
    define: { FILES: JSON.stringify(outputFiles.map(({ path }) => basename(path))) },
    inject: [join(src, 'web/platform/buffer.ts')],
    alias: { 'node:path': 'path-browserify' },
  });
}
