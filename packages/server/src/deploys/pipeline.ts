// The stages of a deploy between the archive and the active content: extract, restore, render or test start.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { errors, quoteName, type Manifest, type Parameter } from '@pressroom/api/contract';
import { flushTree } from '../bundles/archive/flush-tree.ts';
import { type ArchiveLimits, extractBundle } from '../bundles/archive/index.ts';
import type { BundleRow } from '../bundles/store.ts';
import type { SourcesOf } from '../content/package-sources/sources-of.ts';
import type { ContentRow } from '../content/store.ts';
import { takeReportMail, type ReportMail } from '../mailing/report-mail.ts';
import type { Config } from '../main/config/settings.ts';
import { timerMs } from '../platform/clock.ts';
import type { Applications } from '../runtime/applications.ts';
import { collectOutput } from '../runtime/collect-output.ts';
import type { ContentEnvironment } from '../runtime/content-environment.ts';
import type { Installations } from '../runtime/installations.ts';
import {
  type ApplicationEngine,
  type DocumentEngine,
  type Environment,
  type Language,
  findEngine,
} from '../runtime/kinds/index.ts';
import type { LaunchRecord } from '../runtime/launch-record.ts';
import type { Restorer } from '../runtime/restore/index.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';
import { ClosedForStarts, Unavailable } from '../runtime/unavailable.ts';
import type { TaskContext } from '../tasks/run-task.ts';
import { checkValues, type Values } from '../variants/declared/check-values.ts';
import { installPackages } from './install-packages.ts';
import { isFile, takeLocalRendering } from './renderings/local-rendering.ts';
import { findUnrenderedLinks } from './renderings/unrendered-links.ts';
import { LINES_EXAMINED, startFailure } from './restart-application.ts';

export interface PipelineRequest {
  readonly content: ContentRow;
  readonly bundle: BundleRow;
  readonly manifest: Manifest;
  /** Name of the deploy, and the directory to be served or run. */
  readonly site: string;
  readonly target: string;
  /** Opens the archive of the bundle. */
  readonly archive: () => Promise<Readable>;
  /** Values for the parameters of a document; null for those of its source. */
  readonly values?: Values | null;
  /** Shows the publisher's own rendering until the server's is done; absent if it is not to be shown. */
  readonly local?: {
    readonly site: string;
    readonly target: string;
    show(prepared: Prepared): Promise<void>;
  };
}

/** The result, ready to become active. */
export interface Prepared {
  readonly site: string;
  readonly environment: Environment | null;
  /** Null for content without processes. */
  readonly launch: LaunchRecord | null;
  readonly isRendered: boolean;
  /** Declared parameters of a document; absent for others. */
  readonly parameters?: readonly Parameter[];
  /** The mail that a document describes; absent if it describes none. */
  readonly mail?: ReportMail | null;
}

export interface Pipeline {
  /** @throws ApiError with the first line of the cause; then nothing of it is active. */
  prepare(request: PipelineRequest, context: TaskContext): Promise<Prepared>;
}

export interface PipelineOptions {
  readonly config: Config;
  readonly limits: ArchiveLimits;
  readonly launcher: Launcher;
  readonly restorer: Restorer;
  readonly sourcesOf: SourcesOf;
  readonly installations: Installations;
  readonly applications: Applications;
  readonly environment: ContentEnvironment;
  /** Where documents are rendered. */
  readonly workDirectory: string;
  /** Address of the content, for reports that name it. */
  readonly contentUrl: (contentGuid: string) => string;
}

/** Texts that are read as UTF-8 when documents are rendered. */
const SOURCES = /\.(?:rmd|qmd|ipynb|md)$/i;
/** Texts that are served as UTF-8, and that browsers show. */
const PAGES = /\.(?:html?|md|txt)$/i;

/** For documents without code. */
const WITHOUT_LANGUAGE: Environment = { language: null, version: '', file: '', env: {}, readable: [] };

export function createPipeline(options: PipelineOptions): Pipeline {
  const {
    config,
    limits,
    launcher,
    restorer,
    sourcesOf,
    installations,
    applications,
    environment,
    workDirectory,
    contentUrl,
  } = options;

  async function extract(
    request: PipelineRequest,
    directory: string,
    texts: RegExp,
    { log, stage, signal }: TaskContext,
  ): Promise<void> {
    stage('extract');
    const bundle = { file: request.archive, directory, limits, signal, texts };
    const { files, bytes, notUtf8 } = await extractBundle(bundle);
    log(`Extracted ${files} files, ${bytes} bytes`);
    for (const path of notUtf8)
      log(
        `Warning: ${quoteName(path)} is not UTF-8: letters such as ä and é are shown wrong. Save it as UTF-8.`,
      );
  }

  async function restore(
    language: Language,
    { content, manifest, bundle }: PipelineRequest,
    source: string,
    { log: print, stage, signal }: TaskContext,
  ): Promise<Environment> {
    stage('restore');
    return restorer.restore({
      language,
      manifest,
      source,
      fingerprint: bundle.md5,
      owner: content.guid,
      runAs: content.run_as,
      sources: await sourcesOf(content.guid),
      print,
      signal,
    });
  }

  async function install(
    engine: ApplicationEngine,
    { content, target }: PipelineRequest,
    { image }: Environment,
    { log: print, stage, signal }: TaskContext,
  ): Promise<void> {
    if (engine.install === undefined) return;
    stage('restore');
    const whose = { contentGuid: content.guid, runAs: content.run_as };
    await installPackages(launcher, engine, { ...whose, image, directory: target, print, signal });
  }

  async function render(
    engine: DocumentEngine,
    request: PipelineRequest,
    context: TaskContext,
  ): Promise<Prepared> {
    const { content, manifest, site, target } = request;
    const program = await engine.program?.find(config, installations);
    const work = join(workDirectory, site);
    const [source, output] = [join(work, 'source'), join(work, 'output')];
    await mkdir(output, { recursive: true, mode: 0o711 });
    try {
      await extract(request, source, SOURCES, context);
      await showLocal(request, source, join(work, 'local'));
      const parameters = await engine.parameters(source, manifest);
      const values = await writeValues(join(work, 'values.json'), parameters, request.values);
      await launcher.give(work, content.run_as, content.guid);
      const languages = engine.languagesOf?.(manifest) ?? [engine.language!];
      const restored: Environment[] = [];
      for (const language of languages) restored.push(await restore(language, request, source, context));
      const [first = WITHOUT_LANGUAGE, ...others] = restored;
      context.stage('render');
      await engine.render({
        launcher,
        runAs: content.run_as,
        content: content.guid,
        manifest,
        source,
        output,
        environment: first,
        others,
        ...(program && { program }),
        env: { ...(await environment.of(content)), ...reportVariables(content, contentUrl(content.guid)) },
        ...(values !== null && { values }),
        print: context.log,
        signal: context.signal,
      });
      await launcher.takeBack(output);
      const { files } = await collectOutput(output, target, {
        reserve: limits.diskReserve,
        print: context.log,
      });
      await requirePage(target);
      const rendered = manifest.primary_rmd ?? manifest.entrypoint;
      for (const { link, document } of await findUnrenderedLinks(source, target, rendered))
        context.log(
          `Warning: the page links to ${quoteName(link)}, but ${quoteName(document)} is not rendered: only sites have several documents (in R, _site.yml and deploySite; or _quarto.yml)`,
        );
      const mail = await takeReportMail(target, config['Mail.MaxSize']);
      await flushTree(target, files);
      return { site, environment: first, launch: null, isRendered: true, parameters, mail };
    } finally {
      await launcher.remove(work);
    }
  }

  async function tryOut(
    engine: ApplicationEngine,
    request: PipelineRequest,
    context: TaskContext,
  ): Promise<Prepared> {
    const { content, bundle, manifest, site, target } = request;
    if (applications.isClosed) throw new ClosedForStarts();
    await extract(request, target, SOURCES, context);
    await launcher.give(target, content.run_as, content.guid);
    const restored =
      engine.language === null
        ? await engine.program!.find(config, installations)
        : await restore(engine.language, request, target, context);
    await install(engine, request, restored, context);
    const { appmode, entrypoint, primary_rmd } = manifest;
    const launch = { manifest: { appmode, entrypoint, primary_rmd }, environment: restored };
    context.signal.throwIfAborted();
    context.stage('start');
    const onAbort = () => void applications.abandon(content.guid, site);
    context.signal.addEventListener('abort', onAbort, { once: true });
    try {
      await applications.tryOut({ content, bundleId: bundle.id, site, launch }, context.log);
    } finally {
      context.signal.removeEventListener('abort', onAbort);
    }
    return { site, environment: restored, launch, isRendered: false };
  }

  return {
    async prepare(request, task) {
      const engine = findEngine(request.manifest.appmode);
      const printed: string[] = [];
      const limit = config['Applications.RenderTimeout'];
      const late = AbortSignal.timeout(timerMs(limit));
      const context: TaskContext = {
        ...task,
        log(line) {
          if (printed.length < LINES_EXAMINED) printed.push(line);
          task.log(line);
        },
        signal: limit > 0 ? AbortSignal.any([task.signal, late]) : task.signal,
      };
      context.log(engine.building);
      try {
        if (engine.kind !== 'files') task.hide(await environment.secretsOf(request.content));
        if (engine.kind === 'document') return await render(engine, request, context);
        if (engine.kind === 'application') return await tryOut(engine, request, context);
        await extract(request, request.target, PAGES, context);
        return { site: request.site, environment: null, launch: null, isRendered: false };
      } catch (error) {
        task.signal.throwIfAborted();
        if (limit > 0 && late.aborted)
          throw errors.internal({ message: `it took longer than ${limit} seconds` });
        if (error instanceof Unavailable) throw startFailure(error, printed);
        throw error;
      }
    },
  };
}

/** Code of the document may have ended its process, or removed the page. */
async function requirePage(target: string): Promise<void> {
  if (!(await isFile(join(target, 'index.html'))))
    throw errors.internal({ message: 'the rendering ended without a page: does its code call quit()?' });
}

async function showLocal({ manifest, local }: PipelineRequest, source: string, work: string): Promise<void> {
  if (!local || !manifest.rendered) return;
  if (await takeLocalRendering(source, manifest.rendered, work, local.target))
    await local.show({ site: local.site, environment: null, launch: null, isRendered: true });
}

/** The file with the values of the parameters; null if they are those of the source. */
async function writeValues(
  file: string,
  parameters: readonly Parameter[],
  given: Values | null = null,
): Promise<string | null> {
  const values = given && checkValues(parameters, given);
  if (values === null || Object.keys(values).length === 0) return null;
  await writeFile(file, JSON.stringify(values), { flag: 'wx' });
  return file;
}

/** Variables about the report itself. */
function reportVariables(content: ContentRow, url: string): Record<string, string> {
  const name = content.title ?? content.name;
  return { RSC_REPORT_NAME: name, RSC_REPORT_TITLE: name, RSC_REPORT_URL: url };
}
