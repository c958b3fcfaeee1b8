// The build for editors that run in a browser: what it needs of Node.js is replaced, and the rest is not there.
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const web = join(import.meta.dirname, '../web');

const standIns: Plugin = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    const path = join(web, 'stand-ins.ts');
    onResolve({ filter: /^node:(stream|timers\/promises|os|path)$/ }, () => ({ path }));
    onResolve({ filter: /^node:|^(tar|undici)(\/|$)/ }, (found) => ({
      path: found.path,
      namespace: 'missing',
      sideEffects: false,
    }));
    // Shared code names it; the commands of that build do not get there.
    onLoad({ filter: /.*/, namespace: 'missing' }, () => ({
      contents: `module.exports = new Proxy({}, { get: () => () => { throw new Error('There are no files here.'); } });`,
    }));
  },
};

/** Records of directories are read by code that commands share. */
const MISSING = ['missing:node:fs', 'missing:node:fs/promises'];

/** @throws where it would need anything else of Node.js */
export async function bundleForBrowsers(outfile: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: [join(web, 'extension.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'cjs',
    target: 'es2022',
    external: ['vscode'],
    alias: { typebox: join(import.meta.dirname, 'plain-schemas.ts') },
    inject: [join(web, 'buffer.ts')],
    plugins: [standIns],
    metafile: true,
    logLevel: 'warning',
  });
  const outputs = Object.values(metafile.outputs);
  const packed = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([name, { bytesInOutput }]) => (bytesInOutput > 0 ? [name] : [])),
  );
  const missing = packed.filter((name) => name.startsWith('missing:') && !MISSING.includes(name));
  const imported = outputs.flatMap(({ imports }) => imports.map(({ path }) => path));
  const strange = [...missing, ...imported.filter((name) => name !== 'vscode')];
  if (strange.length > 0) throw new Error(`the build for browsers needs ${strange.join(', ')}`);
}
