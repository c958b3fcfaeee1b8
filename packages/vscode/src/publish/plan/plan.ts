// Where a directory is published and with which type: from its record or earlier answers, otherwise from three inputs.
import path from 'node:path';
import { inspectDirectory, type Inspection, readRecords } from '@pressroom/api/publish';
import { l10n, window } from 'vscode';
import { keyFor } from '../../sign-in/key-for.ts';
import type { Keys } from '../../sign-in/keys.ts';
import type { SignIn } from '../../sign-in/sign-in.ts';
import type { ContentRef } from '../../store/content-ref.ts';
import { choiceFor, type Choice, type Memory } from '../../store/memory.ts';
import { chooseActive, isOf, targetName, targetOfFile } from '../../store/targets.ts';
import { explain } from '../../ui/explain.ts';
import { showErrorMessage } from '../../ui/messages.ts';
import { BACK } from '../../ui/steps.ts';
import { hostOf } from '../../ui/texts.ts';
import type { Directories } from '../directories/directories.ts';
import { confirmContent, pickContent, type ConfirmOptions } from './confirm-content.ts';
import type { Dependencies } from './dependencies.ts';
import { pickDocument } from './pick-document.ts';
import { pickEarlier } from './pick-earlier.ts';
import type { Preflight } from './preflight.ts';

export interface Plan extends Choice {
  readonly key: string;
  /** The content item; undefined for new content. */
  readonly guid?: string | undefined;
  /** Name of the target. */
  readonly target: string;
  /** Whether the user has just confirmed it. */
  readonly confirmed?: boolean;
  /** Becomes new content, though other content of the directory was published. */
  readonly asNew?: boolean;
}

export interface PlanOptions {
  /** Whether to ask the user if necessary; true by default. */
  readonly ask?: boolean;
  /** Asks for server and content even if known. */
  readonly elsewhere?: boolean;
  /** The target; the active one by default. */
  readonly to?: ContentRef | undefined;
  /** The file of the command: its target, or content with this entry point, comes first. */
  readonly file?: string | undefined;
}

export interface Planner {
  /** Undefined if cancelled, or if something is missing that may not be asked for. */
  plan(dir: string, options?: PlanOptions): Promise<Plan | undefined>;
  /** Asks for the directory's content type, if several are possible. */
  chooseType(dir: string): Promise<Choice | undefined>;
}

const INPUTS = 3;

export interface PlannerParts {
  readonly keys: Keys;
  readonly signIn: SignIn;
  readonly memory: Memory;
  readonly directories: Pick<Directories, 'excludeOf' | 'scan' | 'update' | 'uriOf'>;
  readonly dependencies: Pick<Dependencies, 'check' | 'complete'>;
  readonly preflight: Pick<Preflight, 'find'>;
}

export function createPlanner(parts: PlannerParts): Planner {
  const { keys, signIn, memory, directories, dependencies, preflight } = parts;

  async function inspect(dir: string): Promise<Inspection> {
    await directories.update(dir);
    return inspectDirectory(dir, { exclude: directories.excludeOf(dir) });
  }

  /** The target, or earlier answers; a record names the server, but never a key. */
  async function known(
    dir: string,
    { to, file }: Pick<PlanOptions, 'to' | 'file'> = {},
  ): Promise<Omit<Plan, 'key'> | undefined> {
    const records = await readRecords(dir);
    const active = chooseActive(records, memory.target(dir));
    const ofFile = file === undefined ? undefined : targetOfFile(records, active, dir, file);
    const record = to ? records.find((one) => isOf(one, to)) : (ofFile ?? active);
    const aim = record ?? to;
    if (aim !== undefined) {
      const { server, guid } = aim;
      return {
        ...choiceFor(memory, dir, server, record?.guid),
        guid,
        target: targetName({ server, target: record?.target }),
      };
    }
    const choice = memory.choice(dir);
    // Published already: only the user knows whether the record is missing on purpose, and new content is meant.
    if (choice === undefined || memory.target(dir)?.server === choice.server) return undefined;
    return { ...choice, target: hostOf(choice.server) };
  }

  function keyOf(server: string, ask: boolean): Promise<string | undefined> {
    if (!ask) return keys.get(server);
    const why = l10n.t('This folder was published to {0}. Enter an API key for that server.', server);
    return keyFor({ keys, signIn }, server, { why });
  }

  /** The choice, or the content that another client published. */
  async function firstTime(
    dir: string,
    { file, elsewhere = false }: PlanOptions,
  ): Promise<Choice | ContentRef | undefined> {
    const title = l10n.t('Publish {0}', path.basename(dir));
    for (;;) {
      const server = await signIn.server({ title, total: INPUTS, known: true });
      if (server === undefined) return undefined;
      const step = { title, total: INPUTS };
      const guid = elsewhere ? null : await pickEarlier(dir, server, memory.target(dir), step);
      if (guid === undefined) return undefined;
      if (typeof guid === 'string') return { server, guid };
      // A second document of a folder has a title of its own.
      const named = elsewhere && file !== undefined ? path.parse(file).name : undefined;
      const picked = guid === BACK ? BACK : await confirm(dir, server, { title, file, named });
      if (picked === BACK) continue;
      return picked;
    }
  }

  async function confirm(
    dir: string,
    server: string,
    { title, file, named }: Pick<ConfirmOptions, 'title' | 'file' | 'named'>,
  ): Promise<Choice | typeof BACK | undefined> {
    const progress = { location: { viewId: 'pressroom.deployments' } };
    const look = async () => window.withProgress(progress, () => inspect(dir));
    const user = keys.accounts().find((account) => account.server === server)?.username;
    const where = [hostOf(server), user && `(${user})`].filter(Boolean).join(' ');
    const choice = await confirmContent({
      title,
      total: INPUTS,
      where,
      inspect: look,
      file,
      named,
      server,
      dependencies,
      directories,
      find: async (inspection, appmode, chosen) => {
        const key = await keys.get(server);
        if (key === undefined) return [];
        return preflight.find(inspection, appmode, { server, key, guid: undefined }, chosen);
      },
    });
    if (choice === undefined || choice === BACK) return choice;
    memory.choose(dir, choice);
    return choice;
  }

  /** Whether new content is meant, though the directory was published. Undefined if cancelled. */
  async function isNew(dir: string, { ask = true, to, file }: PlanOptions): Promise<boolean | undefined> {
    if (!ask || to !== undefined || file === undefined) return false;
    const records = await readRecords(dir);
    const active = chooseActive(records, memory.target(dir));
    return active === undefined ? false : pickDocument(dir, file, records, active, memory);
  }

  const planner: Planner = {
    async plan(dir, options = {}) {
      const { ask = true, elsewhere = false } = options;
      try {
        await directories.scan(dir);
        const asNew = elsewhere ? false : await isNew(dir, options);
        if (asNew === undefined) return undefined;
        if (asNew) {
          const plan = await planner.plan(dir, { ...options, elsewhere: true });
          return plan && { ...plan, asNew };
        }
        const found = elsewhere ? undefined : await known(dir, options);
        if (found !== undefined) {
          const key = await keyOf(found.server, ask);
          return key === undefined ? undefined : { ...found, key };
        }
        const chosen = ask ? await firstTime(dir, options) : undefined;
        if (chosen !== undefined && 'guid' in chosen)
          return await planner.plan(dir, { ...options, to: chosen });
        const key = chosen && (await keys.get(chosen.server));
        if (chosen === undefined || key === undefined) return undefined;
        return { ...chosen, key, target: hostOf(chosen.server), confirmed: true };
      } catch (error) {
        void showErrorMessage(explain(error));
        return undefined;
      }
    },
    async chooseType(dir) {
      const { server, guid } = (await known(dir)) ?? {};
      const picked = await pickContent(await inspect(dir), path.basename(dir));
      if (picked === undefined) return undefined;
      const choice: Choice = { ...picked, server: server ?? '', recorded: guid };
      if (server !== undefined) memory.choose(dir, choice);
      return choice;
    },
  };
  return planner;
}
