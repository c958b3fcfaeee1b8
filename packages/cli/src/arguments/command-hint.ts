// Commands in hints, which people paste: about the content and the server of the command that gives the hint.
import { shellWord } from '../terminal/shell-word.ts';

/** What another command has to be told to be about the same. */
export interface About {
  /** The content, as it was named; without it, a command finds it in the current directory. */
  content?: string | undefined;
  /** The same, for people in other directories. */
  guid?: string;
  /** The server, unless a command uses it without being told. */
  server?: string | undefined;
}

/** Part of the context of a command. */
export interface WithAbout {
  readonly about: About;
}

/** @param takes how the command takes the content, if it does */
export function commandHint(
  { about: { content, server } }: WithAbout,
  command: string,
  takes?: 'argument' | 'option',
): string {
  const words = ['pressroom', command];
  if (takes !== undefined && content !== undefined)
    words.push(...(takes === 'option' ? ['--content'] : []), shellWord(content));
  if (server !== undefined) words.push('--server', shellWord(server));
  return words.join(' ');
}
