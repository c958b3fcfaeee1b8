// What a server lacks, where it is not the content: its bundle or process, or a server, is misspelled.
import { RefusedError } from '@pressroom/api/client';
import { withHint } from '../exit-codes.ts';
import { commandHint, type WithAbout } from './command-hint.ts';

const NO_OBJECT = 4;

/**
 * Catches the refusal of an object of content, and names the command that lists them.
 * @param isThere whether the content is known to exist; otherwise the server must say that something else is missing
 */
export function listedBy(
  context: WithAbout,
  command: 'bundles' | 'processes' | 'admin servers',
  isThere: boolean,
  what = `its ${command}`,
): (error: unknown) => never {
  const takes = command === 'admin servers' ? undefined : 'argument';
  return (error) => {
    const isMissing =
      error instanceof RefusedError &&
      error.code === NO_OBJECT &&
      (isThere || error.message !== error.meaning);
    throw isMissing
      ? withHint(error, `To list ${what}, run: ${commandHint(context, command, takes)}`)
      : error;
  };
}
