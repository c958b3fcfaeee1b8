// Creates the configured executor.
import type { DockerStarterOptions } from './docker/docker-starter.ts';
import { createLocalStarter } from './local-starter.ts';
import type { Starter, StarterOptions } from './starter.ts';

export type ExecutorOptions = StarterOptions & {
  /** Null for processes of this machine. */
  readonly docker: DockerStarterOptions['docker'] | null;
} & Pick<DockerStarterOptions, 'onEngine'>;

/** @throws if isolation is required but unavailable, or a setting of the container engine is wrong. */
export async function createStarter({ docker, ...options }: ExecutorOptions): Promise<Starter> {
  if (docker === null) return createLocalStarter(options);
  // Loading the client takes longer than a start without it.
  const { createDockerStarter } = await import('./docker/docker-starter.ts');
  return createDockerStarter({ ...options, docker });
}
