// The form of a tool for language models: descriptions, confirmation and action.
import path from 'node:path';
import type { StoredRecord } from '@pressroom/api/publish';
import { l10n, workspace } from 'vscode';
import type { Directories } from '../publish/directories/directories.ts';
import type { Dependencies } from '../publish/plan/dependencies.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { Keys } from '../sign-in/keys.ts';
import type { History } from '../store/history.ts';
import type { Memory } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { targetName } from '../store/targets.ts';
import { hostOf } from '../ui/texts.ts';

export type ToolInput = Readonly<Record<string, unknown>>;

export interface Tool {
  /** English; translated in package.nls.*.json. */
  readonly title: string;
  /** For users. */
  readonly description: string;
  /** For models. */
  readonly model: string;
  readonly icon: string;
  /** In addition to `folder`, which every tool has: a JSON schema for each. */
  readonly input?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** Makes no request: may be used in Restricted Mode, too. */
  readonly offline?: boolean;
  prepare(parts: ToolParts, dir: string, input: ToolInput): Promise<Prepared>;
}

/** One call, as the user confirms it. */
export interface Prepared {
  readonly title: string;
  /** What will happen, in sentences. */
  readonly lines: readonly string[];
  /** Does it to what the lines name: target and bundle are not chosen again. Returns the model's answer. */
  run(signal: AbortSignal): Promise<string>;
}

export interface ToolParts {
  readonly publisher: Publisher;
  readonly directories: Directories;
  readonly dependencies: Dependencies;
  readonly history: History;
  readonly store: Store;
  readonly memory: Memory;
  readonly keys: Keys;
}

/** A call that can do nothing: the user and the model read why. */
export function nothing(title: string, why: string): Prepared {
  return { title, lines: [why], run: async () => why };
}

/** The directory that a model names, absolute or relative to the first workspace folder; never one outside. */
export function directoryOf({ folderOf, pathOf }: Directories, folder: unknown): string {
  const [open] = workspace.workspaceFolders ?? [];
  const first = open && pathOf(open.uri);
  if (first === undefined) throw new Error(l10n.t('No folder is open.'));
  const dir = path.resolve(first, typeof folder === 'string' ? folder : '.');
  if (folderOf(dir) === undefined) throw new Error(l10n.t('{0} is not in this workspace.', dir));
  return dir;
}

/** A string of the input; undefined if missing. */
export function textOf(input: ToolInput, name: string): string | undefined {
  const value = input[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Name and server of a target, for display. */
export function targetText(record: StoredRecord | undefined): string {
  if (record === undefined) return '–';
  const [name, host] = [targetName(record), hostOf(record.server)];
  return name === host ? host : `${name}, ${host}`;
}
