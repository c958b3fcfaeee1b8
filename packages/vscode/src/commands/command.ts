// The form of a command: title, where it is offered, and its action.
import type { Directories } from '../publish/directories/directories.ts';
import type { Planner } from '../publish/plan/plan.ts';
import type { Publisher } from '../publish/publisher.ts';
import type { Log } from '../publish/run/drive.ts';
import type { Keys } from '../sign-in/keys.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { History } from '../store/history.ts';
import type { Memory } from '../store/memory.ts';
import type { Runs } from '../store/runs.ts';
import type { Store } from '../store/store.ts';
import type { BundlePictures } from '../views/bundle-pictures.ts';
import type { FilesView } from '../views/files.ts';
import type { FollowedLogs } from '../views/followed-logs.ts';
import type { ProcessLogs } from '../views/process-logs.ts';

export interface Command {
  /** English; translated in package.nls.*.json. */
  readonly title: string;
  readonly icon?: string;
  /** When the palette offers it: by default if a folder is open; true: always; false: never. */
  readonly palette?: string | boolean;
  readonly menus?: readonly { readonly in: string; readonly when: string; readonly group: string }[];
  readonly keys?: { readonly key: string; readonly mac: string; readonly when?: string };
  /** @param argument from a menu or link: a tree node, an address, a repository */
  run(parts: CommandParts, argument?: unknown): unknown;
}

export interface CommandParts {
  readonly directories: Directories;
  readonly publisher: Publisher;
  readonly planner: Planner;
  readonly keys: Keys;
  readonly signIn: SignIn;
  readonly runs: Runs;
  readonly memory: Memory;
  readonly history: History;
  readonly store: Store;
  readonly files: FilesView;
  readonly pictures: BundlePictures;
  readonly processLogs: ProcessLogs;
  readonly followedLogs: FollowedLogs;
  readonly log: Log;
  readonly refresh: () => void;
}
