// In an editor without Node.js: the same files, with replacements for Node.js modules. Hosts in browsers load one file
// and cannot require others: this one.
import path from 'node:path';
import { Uri, workspace, type ExtensionContext } from 'vscode';
import * as bytes from './platform/bytes.ts';
import * as crypto from './platform/crypto.ts';
import * as fs from './platform/files.ts';
import * as os from './platform/os.ts';
import * as stream from './platform/streams.ts';
import * as timers from './platform/timers.ts';
import * as util from './platform/util.ts';

/** Names of the built files. */
declare const FILES: readonly string[];

/** Missing ones are empty: their users check, or are not called. */
const STAND_INS: Readonly<Record<string, object>> = {
  vscode: require('vscode') as object,
  'node:buffer': bytes,
  'node:crypto': crypto,
  'node:fs': fs,
  'node:fs/promises': fs.promises,
  'node:os': os,
  'node:path': path,
  'node:stream': stream,
  'node:timers/promises': timers,
  'node:util': util,
};

interface Extension {
  activate(context: ExtensionContext): void;
  deactivate(): Promise<void>;
}

let extension: Extension | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const texts = await Promise.all(
    FILES.map(async (name) => {
      const file = await workspace.fs.readFile(Uri.joinPath(context.extensionUri, 'dist', name));
      return [`./${name}`, new TextDecoder().decode(file)] as const;
    }),
  );
  extension = createRequire(new Map(texts))('./extension.js') as Extension;
  extension.activate(context);
}

export function deactivate(): Promise<void> | undefined {
  return extension?.deactivate();
}

function createRequire(texts: ReadonlyMap<string, string>): (name: string) => unknown {
  const modules = new Map<string, { exports: unknown }>();
  return function require(name) {
    const text = texts.get(name);
    if (text === undefined) return STAND_INS[name] ?? {};
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    // Like the host runs the extension's file.
    // oxlint-disable-next-line typescript/no-implied-eval
    new Function('module', 'exports', 'require', 'Buffer', text)(module, module.exports, require, Buffer);
    return module.exports;
  };
}
