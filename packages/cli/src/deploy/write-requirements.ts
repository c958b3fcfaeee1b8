// `pressroom deploy --write-requirements`: writes a requirements.txt for a Python project without one.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  checkDependencies,
  collectFiles,
  completeRequirements,
  type DeployOptions,
  detectContent,
  languageOf,
} from '@pressroom/api/publish';
import { UsageError } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Does nothing for other content, or if there is one. */
export async function writeRequirements(
  { dir, include = [], exclude = [], type, signal }: DeployOptions,
  terminal: Terminal,
): Promise<void> {
  const { files } = await collectFiles(dir, { include, exclude, ...(signal && { signal }) });
  const [content] = await detectContent(dir, files);
  const isPython = (await languageOf(dir, files, type ?? content?.appmode ?? '')) === 'Python';
  if (!isPython || files.some((file) => file.path === 'requirements.txt')) return;
  const { imported } = await checkDependencies(dir, files, 'Python');
  const names = imported.map((item) => item.package);
  const { from, lines, text } = await completeRequirements(dir, undefined, names);
  await writeFile(path.join(dir, 'requirements.txt'), text, { flag: 'wx' }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UsageError(
      'There is a requirements.txt, but it is excluded.',
      'Look at .pressroomignore and --exclude. A link out of the directory is excluded, too.',
    );
  });
  const source = from === 'imports' ? 'what the files import' : from;
  terminal.note(
    `Wrote requirements.txt from ${source}: ${lines.length} ${lines.length === 1 ? 'package' : 'packages'}.`,
  );
}
