// pressroom help: the overview, a command, a group of commands, or a topic.
import type { AnyCommand, Command, Section } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { findCommand, isGroup } from '../find-command.ts';
import { TOPICS } from '../help/topics.ts';
import { commandHelp, groupHelp, overview, topicHelp } from '../help/usage-text.ts';

/** @param sections of all commands; a function, as this is one of them */
export function createHelp(sections: () => readonly Section[]): Command {
  return {
    name: 'help',
    synopsis: 'help [COMMAND|TOPIC]',
    summary: `Explain a command, or a topic: ${TOPICS.map(({ name }) => name).join(', ')}`,
    words: () => [...commandsOf(sections()), ...TOPICS].map(({ name }) => name),
    positionals: [0, 3],
    async run({ terminal, positionals }) {
      terminal.printHelp(textOf(sections(), positionals));
      return EXIT.ok;
    },
  };
}

function textOf(sections: readonly Section[], words: readonly string[]): string {
  const [word] = words;
  if (word === undefined) return overview(sections);
  const { command, rest } = findCommand(commandsOf(sections), words);
  if (command !== undefined && rest.length === 0)
    return isGroup(command) ? groupHelp(command) : commandHelp(command);
  const topic = TOPICS.find(({ name }) => name === word);
  if (topic !== undefined && words.length === 1) return topicHelp(topic);
  throw new UsageError(`There is no help for ${words.join(' ')}.`, 'See: pressroom help');
}

function commandsOf(sections: readonly Section[]): AnyCommand[] {
  return sections.flatMap(({ commands }) => commands);
}
