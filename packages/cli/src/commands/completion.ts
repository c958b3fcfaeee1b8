// pressroom completion: a script that completes commands and options in a shell.
import type { Command } from '../command.ts';
import { EXIT, UsageError } from '../exit-codes.ts';

const COMMON = ['server', 'api-key', 'json', 'help'];

/** @param commands all of them; a function, as this is one of them */
export function createCompletion(commands: () => readonly Command[]): Command {
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
    options: {},
    positionals: [1, 1],
    async run({ terminal, positionals: [shell = ''] }) {
      const script = SCRIPTS[shell];
      if (script === undefined) throw new UsageError(`Unknown shell: ${shell}.`, 'Use bash, zsh or fish.');
      terminal.print(script(commands()).trim());
      return EXIT.ok;
    },
  };
}

const SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

function optionsOf({ options }: Command): string[] {
  return [...Object.keys(options), ...COMMON];
}

function bash(commands: readonly Command[]): string {
  const cases = commands.map(
    (command) =>
      `    ${command.name}) words="${optionsOf(command)
        .map((name) => `--${name}`)
        .join(' ')}" ;;`,
  );
  return `
_pressroom() {
  local current=\${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _pressroom pressroom`;
}

function zsh(commands: readonly Command[]): string {
  const described = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _arguments ${optionsOf(command)
        .map((name) => `'--${name}'`)
        .join(' ')} '*:file:_files' ;;`,
  );
  return `
#compdef pressroom
_pressroom() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _pressroom ]; then _pressroom; else compdef _pressroom pressroom; fi`;
}

function fish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c pressroom -n __fish_use_subcommand -f -a ${command.name} -d '${quoted(command.summary)}'`,
    ...optionsOf(command).map(
      (name) => `complete -c pressroom -n '__fish_seen_subcommand_from ${command.name}' -l ${name}`,
    ),
  ]);
  return lines.join('\n');
}

/** Within single quotes; a colon would end the name in zsh. */
function quoted(text: string): string {
  return text.replaceAll("'", '').replaceAll(':', '');
}
