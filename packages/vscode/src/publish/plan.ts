// Where a directory is published and as what: from its record or earlier answers, else from three inputs.
import path from 'node:path';
import {
  type ContentCandidate,
  inspectDirectory,
  type Inspection,
  readRecords,
} from '@pressroom/api/publish';
import { l10n, window, type QuickPickItem } from 'vscode';
import type { Keys } from '../sign-in/keys.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import { explain } from '../ui/explain.ts';
import { askPick, BACK } from '../ui/steps.ts';
import { countText, hostOf, sizeText, typeText } from '../ui/texts.ts';
import type { Directories } from './directories.ts';
import { choiceFor, type Choice, type Memory } from '../store/memory.ts';

export interface Plan extends Choice {
  readonly key: string;
}

export interface Planner {
  /** Undefined when the person cancelled, or something is missing and nobody may be asked. */
  plan(dir: string, options?: { ask?: boolean; elsewhere?: boolean }): Promise<Plan | undefined>;
  /** Asks for the content type of the directory, where several fit. */
  chooseType(dir: string): Promise<Choice | undefined>;
}

const INPUTS = 3;

export function createPlanner(
  keys: Keys,
  signIn: SignIn,
  memory: Memory,
  directories: Pick<Directories, 'excludeOf' | 'scan' | 'update'>,
): Planner {
  async function inspect(dir: string): Promise<Inspection> {
    await directories.update(dir);
    return inspectDirectory(dir, { exclude: directories.excludeOf(dir) });
  }

  /** Earlier answers; the record of the directory names the server, but never a key. */
  async function known(dir: string): Promise<Choice | undefined> {
    const [record] = await readRecords(dir);
    return record === undefined ? memory.choice(dir) : choiceFor(memory, dir, record.server);
  }

  async function keyFor(server: string, ask: boolean): Promise<string | undefined> {
    const key = await keys.get(server);
    if (key !== undefined || !ask) return key;
    const why = l10n.t('This folder was published to {0}. Enter an API key for that server.', server);
    return (await signIn.key(server, { why })) === true ? keys.get(server) : undefined;
  }

  async function firstTime(dir: string): Promise<Choice | undefined> {
    const title = l10n.t('Publish {0}', path.basename(dir));
    for (;;) {
      const server = await signIn.server({ title, total: INPUTS });
      if (server === undefined) return undefined;
      const picked = await confirm(dir, server, title);
      if (picked === BACK) continue;
      return picked;
    }
  }

  async function confirm(
    dir: string,
    server: string,
    title: string,
  ): Promise<Choice | typeof BACK | undefined> {
    const inspection = await window.withProgress({ location: { viewId: 'pressroom.deployments' } }, () =>
      inspect(dir),
    );
    const user = keys.accounts().find((account) => account.server === server)?.username;
    const picked = await askPick({
      title,
      step: INPUTS,
      total: INPUTS,
      back: true,
      placeholder: l10n.t(
        '{0} will be published to {1}. Press Enter to publish.',
        amount(inspection),
        [hostOf(server), user && `(${user})`].filter(Boolean).join(' '),
      ),
      items: candidateItems(inspection),
    });
    if (picked === BACK || picked === undefined) return picked;
    const choice = choiceOf(server, picked.candidate, inspection.candidates);
    memory.choose(dir, choice);
    return choice;
  }

  return {
    async plan(dir, { ask = true, elsewhere = false } = {}) {
      try {
        await directories.scan(dir);
        const choice = elsewhere ? undefined : await known(dir);
        if (choice !== undefined) {
          const key = await keyFor(choice.server, ask);
          return key === undefined ? undefined : { ...choice, key };
        }
        const chosen = ask ? await firstTime(dir) : undefined;
        const key = chosen && (await keys.get(chosen.server));
        return chosen && key !== undefined ? { ...chosen, key } : undefined;
      } catch (error) {
        void window.showErrorMessage(explain(error));
        return undefined;
      }
    },
    async chooseType(dir) {
      const server = (await known(dir))?.server;
      const inspection = await inspect(dir);
      const picked = await window.showQuickPick(candidateItems(inspection), {
        title: l10n.t('Content Type of {0}', path.basename(dir)),
        placeHolder: l10n.t('Select the type to publish as from now on'),
        matchOnDetail: true,
      });
      if (picked?.candidate === undefined) return undefined;
      const choice = choiceOf(server ?? '', picked.candidate, inspection.candidates);
      if (server !== undefined) memory.choose(dir, choice);
      return choice;
    },
  };
}

/** The first candidate is not stored: then a manifest.json in the directory decides. */
function choiceOf(
  server: string,
  candidate: ContentCandidate | undefined,
  all: readonly ContentCandidate[],
): Choice {
  if (candidate === undefined || candidate === all[0]) return { server };
  return { server, type: candidate.appmode, entrypoint: candidate.entrypoint || candidate.primary };
}

type CandidateItem = QuickPickItem & { readonly candidate: ContentCandidate | undefined };

function candidateItems(inspection: Inspection): CandidateItem[] {
  return inspection.candidates.map((candidate) => ({
    label: typeText(candidate.appmode),
    description: `${candidate.entrypoint || candidate.primary} · ${amount(inspection)}`,
    detail: candidate.why,
    candidate,
  }));
}

export function amount({ collected }: Inspection): string {
  return `${countText(collected.count)}, ${sizeText(collected.bytes)}`;
}
