// The extension's parts with a fake editor and a folder with one page: for tests with a server.
import { lstat, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeConnection } from '@pressroom/api/client';
import { readArchive } from '@pressroom/api/publish';
import type { FileSystem, Uri } from 'vscode';
import { createCopies } from '../publish/directories/copies.ts';
import { createDirectories } from '../publish/directories/directories.ts';
import { createPublishing } from '../publish/wire.ts';
import { createConnect, type ConnectParts } from '../sign-in/connect.ts';
import { createKeys } from '../sign-in/keys.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { createHistory } from '../store/history.ts';
import { createMemory } from '../store/memory.ts';
import { createRuns } from '../store/runs.ts';
import { createStores, FileSystemError, FileType, workspace } from './fake-vscode.ts';

/** Reads and writes on disk. */
const onDisk = {
  readFile: (uri: Uri) =>
    readFile(uri.fsPath).catch(() => {
      throw new FileSystemError(uri, 'FileNotFound');
    }),
  writeFile: (uri: Uri, content: Uint8Array) => writeFile(uri.fsPath, content),
  stat: (uri: Uri) =>
    lstat(uri.fsPath).then(
      (stats) => ({ type: stats.isSymbolicLink() ? FileType.SymbolicLink : FileType.File }) as never,
      () => {
        throw new FileSystemError(uri, 'FileNotFound');
      },
    ),
};

/**
 * @param key of the user, for `server`
 * @param timeouts by default a tenth of the interactive ones
 */
export async function createExtensionBench(
  server: string,
  key: string,
  timeouts: ConnectParts['timeouts'] = { connect: 400, headers: 3000, slow: 200 },
) {
  const dir = await mkdtemp(path.join(tmpdir(), 'pressroom-extension-'));
  await writeFile(path.join(dir, 'index.html'), '<p>');
  workspace.fs = onDisk as Partial<FileSystem> as FileSystem;
  const { secrets, state } = createStores();
  const keys = createKeys(secrets, state);
  await keys.store({ server, username: 'bob', guid: 'g' }, key);
  const lines: string[] = [];
  const log = {
    line: (text: string) => void lines.push(text),
    trace: () => undefined,
    show: () => undefined,
  };
  const connect = createConnect({
    version: '1',
    onNotice: undefined,
    trace: log.trace,
    timeouts,
    connection: nodeConnection,
  });
  const directories = createDirectories(createCopies({} as never), undefined);
  const memory = createMemory(undefined);
  const runs = createRuns();
  const contents = { get: async () => undefined, keep: async () => undefined } as never;
  const history = createHistory(keys, connect, contents, readArchive);
  const dependencies = {
    check: async () => undefined,
    complete: async () => 0,
    fix: async () => undefined,
  };
  const signIn: SignIn = { server: async () => server, key: async () => false };
  const diagnostics = {
    clear: () => undefined,
    mark: async () => undefined,
    open: async () => undefined,
    dispose: () => undefined,
  };
  const { publisher } = createPublishing({
    directories,
    keys,
    signIn,
    connect,
    runs,
    memory,
    log,
    diagnostics,
    contents,
    dependencies,
  });
  return {
    dir,
    publisher,
    history,
    runs,
    memory,
    lines,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}
