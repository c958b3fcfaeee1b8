// The executor that the settings ask for.
import type { DockerStarterOptions } from './docker/docker-starter.ts';
import { createLocalStarter } from './local-starter.ts';
import type { Starter, StarterOptions } from './starter.ts';

export type ExecutorOptions = StarterOptions & {
  /** Null: processes of this machine. */
  readonly docker: DockerStarterOptions['docker'] | null;
} & Pick<DockerStarterOptions, 'onEngine'>;

/** @throws when isolation is required and not to be had, or a setting of the container engine does not do. */
export async function createStarter({ docker, ...options }: ExecutorOptions): Promise<Starter> {
  if (docker === null) return createLocalStarter(options);
  // Its client takes longer to load than a start without it.
  const { createDockerStarter } = await import('./docker/docker-starter.ts');
  return createDockerStarter({ ...options, docker });
}
