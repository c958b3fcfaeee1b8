// The files of a directory as its next publish sends them to the active target.
import { collectFiles, publishedOf, type CollectedFiles, type PublishedFiles } from '@pressroom/api/publish';
import { choiceFor, type Memory } from '../../store/memory.ts';
import { activeTarget } from '../../store/targets.ts';
import type { Directories } from '../directories/directories.ts';

/**
 * @param collected if they are known already
 * @throws BundleError, RecordError
 */
export async function publishedFiles(
  dir: string,
  directories: Pick<Directories, 'excludeOf'>,
  memory: Pick<Memory, 'choice' | 'target'>,
  collected?: CollectedFiles,
): Promise<PublishedFiles> {
  const before = await activeTarget(dir, memory);
  const choice =
    before === undefined ? memory.choice(dir) : choiceFor(memory, dir, before.server, before.guid);
  const { type, entrypoint, rendering } = choice ?? {};
  const files = collected ?? (await collectFiles(dir, { exclude: directories.excludeOf(dir) }));
  return publishedOf(dir, files, { type, entrypoint, rendering, before });
}
