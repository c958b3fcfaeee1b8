// pressroom completion: a shell script that completes commands, options and values.
import type { AnyCommand, Command } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';
import { isGroup } from '../find-command.ts';
import { bash, fish, zsh, type Place } from '../help/shells.ts';
import { OUTPUTS } from '../terminal/output.ts';

const COMMON = ['server', 'api-key', 'output', 'json', 'help'];
/** Those with a value of any kind. */
const COMMON_FREE = ['server', 'api-key'];
const SCRIPTS: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish };

/** @param commands all of them; a function, as this is one of them */
export function createCompletion(commands: () => readonly AnyCommand[]): Command {
  return {
    name: 'completion',
    synopsis: 'completion SHELL',
    summary: 'Print a completion script for bash, zsh or fish',
    help: [
      '',
      '  bash: pressroom completion bash > ~/.local/share/bash-completion/completions/pressroom',
      '  zsh:  pressroom completion zsh > "${fpath[1]}/_pressroom"',
      '  fish: pressroom completion fish > ~/.config/fish/completions/pressroom.fish',
      '',
    ],
    words: () => Object.keys(SCRIPTS),
    positionals: [1, 1],
    async run({ terminal, positionals: [shell = ''] }) {
      const script = SCRIPTS[shell];
      if (script === undefined) throw new UsageError(`Unknown shell: ${shell}.`, 'Use bash, zsh or fish.');
      terminal.print(script([rootOf(commands()), ...placesBelow(commands(), '')]).trim());
      return EXIT.ok;
    },
  };
}

function rootOf(commands: readonly AnyCommand[]): Place {
  return {
    path: '',
    words: describedWords(commands),
    content: false,
    options: ['help', 'version'],
    free: [],
    choices: {},
  };
}

/** All commands and groups, with possible continuations. */
function placesBelow(commands: readonly AnyCommand[], above: string): Place[] {
  return commands.flatMap((command) => {
    const path = `${above} ${command.name}`;
    if (isGroup(command))
      return [
        {
          path,
          words: describedWords(command.commands),
          content: false,
          options: ['help'],
          free: [],
          choices: {},
        },
        ...placesBelow(command.commands, path),
      ];
    return [
      {
        path,
        words: command.words?.().map((name) => ({ name, summary: '' })) ?? null,
        content: command.synopsis.includes('[CONTENT'),
        options: [...Object.keys(command.options ?? {}), ...COMMON],
        free: [...freeOf(command), ...COMMON_FREE],
        choices: { ...command.choices, output: OUTPUTS },
      },
    ];
  });
}

/** `--content` takes names of content. */
function freeOf({ options = {}, choices = {} }: Command): string[] {
  const named = Object.entries(options).filter(([name, { type }]) => type === 'string' && name !== 'content');
  return named.flatMap(([name]) => (Object.hasOwn(choices, name) ? [] : [name]));
}

function describedWords(commands: readonly AnyCommand[]): Place['words'] {
  return commands.map(({ name, summary }) => ({ name, summary }));
}
