// Finds problems before a publish. Those that need a decision are shown in one list, where Enter fixes them.
import type { Client } from '@pressroom/api/client';
import {
  inspectDirectory,
  languageOf,
  preflight,
  publishedOf,
  readServerFacts,
  type DependencyReport,
  type Finding,
  type Inspection,
  type ServerFacts,
} from '@pressroom/api/publish';
import { l10n, ProgressLocation, window, type QuickPickItem } from 'vscode';
import type { Connect } from '../../sign-in/connect.ts';
import { choiceFor, type Choice, type Memory } from '../../store/memory.ts';
import { askPick } from '../../ui/steps.ts';
import { hostOf } from '../../ui/texts.ts';
import type { Directories } from '../directories/directories.ts';
import type { Log } from '../run/drive.ts';
import type { Dependencies } from './dependencies.ts';
import { findingItem, findingText, needsConfirmation, isRefused, fix, type FindingItem } from './findings.ts';
import { packagesItem, type PackagesItem } from './packages-item.ts';

/** Where a directory is published. */
export interface Destination {
  readonly server: string;
  readonly key: string;
  /** Undefined for new content. */
  readonly guid: string | undefined;
}

export interface Preflight {
  /**
   * Findings against publishing the directory there, with this choice. Skips checks that the server does not respond in
   * time.
   */
  find(
    inspection: Inspection,
    appmode: string,
    to: Destination,
    choice: Pick<Choice, 'type' | 'entrypoint' | 'rendering'>,
  ): Promise<Finding[]>;
  /**
   * Asks about findings that need a decision. `go`: there are none, or publish anyway; undefined: cancelled.
   * @param name of the directory, for display
   */
  pass(dir: string, name: string, to: Destination & { readonly type?: string | undefined }): Promise<Verdict>;
}

export type Verdict = 'go' | 'as-new' | undefined;

interface Row extends QuickPickItem {
  readonly finding?: Finding;
  readonly does?: PackagesItem['does'] | 'go' | 'as-new';
}

/** Milliseconds that a publish waits for the server's responses; afterwards the publish itself asks. */
const TIMEOUT_MS = 1500;

export function createPreflight({
  connect,
  directories,
  dependencies,
  memory,
  log,
}: {
  readonly connect: Connect;
  readonly directories: Pick<Directories, 'excludeOf' | 'scan' | 'update' | 'uriOf'>;
  readonly dependencies: Pick<Dependencies, 'check' | 'complete'>;
  readonly memory: Pick<Memory, 'choice' | 'choose'>;
  readonly log: Pick<Log, 'line'>;
}): Preflight {
  /** By server and language: requested once per window. */
  const known = new Map<string, ServerFacts>();

  async function factsOf(client: Client, language: 'R' | 'Python' | null, signal: AbortSignal) {
    const id = `${client.url} ${language}`;
    const facts = known.get(id) ?? (await readServerFacts(client, language, { signal, retries: 0 }));
    // The next request may be answered in time.
    if (!signal.aborted) known.set(id, facts);
    return facts;
  }

  async function find(...[inspection, appmode, to, choice]: Parameters<Preflight['find']>) {
    const { server, key, guid } = to;
    const { dir, collected } = inspection;
    const { type, entrypoint, rendering } = choice;
    const options = { type, entrypoint, rendering, before: recordOf(inspection, to) };
    const client = connect(server, key);
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const language = await languageOf(dir, collected.files, appmode);
      const [published, facts, content] = await Promise.all([
        // What is wrong with manifest.json is shown by the publish.
        publishedOf(dir, collected, options).catch(() => ({ ...collected, isListed: false })),
        factsOf(client, language, signal),
        guid === undefined
          ? undefined
          : client.getContent({ guid }, { signal, retries: 0 }).catch(() => undefined),
      ]);
      const { files, bytes, isListed } = published;
      return await preflight({ dir, appmode, files, bytes, isListed, content, facts });
    } finally {
      await client.close();
    }
  }

  async function look(dir: string, to: Parameters<Preflight['pass']>[2]) {
    const inspection = await inspectDirectory(dir, { exclude: directories.excludeOf(dir) });
    const record = recordOf(inspection, to);
    const appmode = to.type ?? record?.app_mode ?? inspection.candidates[0]?.appmode ?? '';
    const [findings, report] = await Promise.all([
      find(inspection, appmode, to, choiceFor(memory, dir, to.server, record?.guid)),
      dependencies.check(dir, appmode, inspection.collected.files),
    ]);
    return { findings, report, files: inspection.collected.files };
  }

  return {
    find,
    async pass(dir, name, to) {
      const location = { location: ProgressLocation.Window, title: l10n.t('Checking {0}…', name) };
      for (;;) {
        const found = await window.withProgress(location, () => look(dir, to));
        const { findings, report } = found;
        const { accepted = [] } = choiceFor(memory, dir, to.server);
        const warnings = findings.filter((finding) => needsConfirmation(finding, accepted));
        const lacksList = needsList(report, found.files);
        for (const finding of findings.filter((one) => one.code === 'other-runtime'))
          log.line(`[${name}] ${findingText(finding, to.server)}`);
        if (warnings.length === 0 && !lacksList) return 'go';
        const picked = await askPick<Row>({
          title: l10n.t('Publish {0}', name),
          placeholder: l10n.t(
            'Before {0} is published to {1}: press Enter to fix the selected problem.',
            name,
            hostOf(to.server),
          ),
          items: [
            ...(lacksList ? packagesItem(report) : []),
            ...rowsOf(findings, warnings, to.server, !lacksList),
          ],
        });
        if (picked === undefined || typeof picked === 'symbol') return undefined;
        if (picked.does === 'go') {
          const files = findings.flatMap((one) => (one.code === 'secret-files' ? one.files : []));
          memory.choose(dir, { ...choiceFor(memory, dir, to.server), accepted: [...accepted, ...files] });
          return 'go';
        }
        if (picked.does === 'as-new') return 'as-new';
        if (picked.does === 'packages' && report !== undefined) await dependencies.complete(dir, report);
        if (picked.finding === undefined) continue;
        const fixed = await fix(picked.finding, dir, directories);
        if (fixed === 'as-new') return 'as-new';
        if (fixed === 'left') return undefined;
      }
    },
  };
}

function recordOf({ records }: Inspection, to: Pick<Destination, 'server' | 'guid'>) {
  return records.find(({ server, guid }) => server === to.server && guid === to.guid);
}

/** Python content requires a list of its packages, unless it has a manifest. */
function needsList(
  report: DependencyReport | undefined,
  files: readonly { readonly path: string }[],
): boolean {
  const hasManifest = files.some((file) => file.path === 'manifest.json');
  return report?.language === 'Python' && report.listedIn === null && !hasManifest;
}

/** Findings that need a decision first, then hints, then other actions. */
function rowsOf(
  findings: readonly Finding[],
  warnings: readonly Finding[],
  server: string,
  canGo: boolean,
): (Row | FindingItem)[] {
  const hints = findings.filter((finding) => !warnings.includes(finding));
  const refused = warnings.some(isRefused);
  return [
    ...[...warnings, ...hints].map((finding) => findingItem(finding, server)),
    ...(refused ? [{ label: l10n.t('$(add) Publish as new content…'), does: 'as-new' as const }] : []),
    ...(canGo && !refused ? [{ label: l10n.t('$(rocket) Publish anyway'), does: 'go' as const }] : []),
  ];
}
