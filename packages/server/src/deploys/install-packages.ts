// Installs the packages of a program's lock file, in the environment where it will run.
import { errors } from '@pressroom/api/contract';
import type { ApplicationEngine } from '../runtime/kinds/index.ts';
import type { Launcher } from '../runtime/sandbox/launcher.ts';

export interface InstallRequest {
  readonly contentGuid: string;
  readonly runAs: string | null;
  readonly directory: string;
  /** The id of its image, if it runs in a container. */
  readonly image: string | undefined;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The first line of an npm error after its code. */
const INSTALL_ERROR = /^npm (?:error|ERR!) (?!code |errno |syscall |path |dest )(\S.*)$/;

/** @throws ApiError 1 with the first line of the cause. */
export async function installPackages(
  launcher: Launcher,
  engine: ApplicationEngine,
  { contentGuid, runAs, directory, image, print, signal }: InstallRequest,
): Promise<void> {
  if (engine.install === undefined) return;
  const command = engine.install(directory);
  let cause: string | undefined;
  const onLine = (line: string) => {
    print(line);
    cause ??= INSTALL_ERROR.exec(line)?.[1];
  };
  const { code, message } = await launcher.run({
    runAs,
    content: contentGuid,
    signal,
    onLine,
    command: () => ({ ...command, ...(image !== undefined && { image }) }),
  });
  if (code !== 0)
    throw errors.internal({
      message: `the packages do not install: ${cause ?? `${command.file} ${message}`}`,
    });
}
