// pressroom help: the overview, a command, a group of commands, or a topic.
import type { AnyCommand, Command } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { findCommand, isGroup } from '../find-command.ts';
import { TOPICS } from '../topics.ts';
import { commandHelp, groupHelp, overview, topicHelp } from '../usage-text.ts';

/** @param commands all of them; a function, as this is one of them */
export function createHelp(commands: () => readonly AnyCommand[]): Command {
  return {
    name: 'help',
    synopsis: 'help [COMMAND|TOPIC]',
    summary: `Explain a command, or a topic: ${TOPICS.map(({ name }) => name).join(', ')}`,
    help: [],
    options: {},
    words: () => [...commands(), ...TOPICS].map(({ name }) => name),
    positionals: [0, 3],
    async run({ terminal, positionals }) {
      terminal.print(textOf(commands(), positionals));
      return EXIT.ok;
    },
  };
}

function textOf(commands: readonly AnyCommand[], words: readonly string[]): string {
  const [word] = words;
  if (word === undefined) return overview(commands);
  const { command, rest } = findCommand(commands, words);
  if (command !== undefined && rest.length === 0)
    return isGroup(command) ? groupHelp(command) : commandHelp(command);
  const topic = TOPICS.find(({ name }) => name === word);
  if (topic !== undefined && words.length === 1) return topicHelp(topic);
  throw new UsageError(`There is no help for ${words.join(' ')}.`, 'See: pressroom help');
}
