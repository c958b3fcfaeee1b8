// Completion scripts: possible continuations at each place of a command line, in the syntax of each shell.

export interface Place {
  /** The preceding words, such as ` admin users`; empty for the command itself. */
  readonly path: string;
  /** Possible words; null for file names. */
  readonly words: readonly { readonly name: string; readonly summary: string }[] | null;
  /** Whether names of content may follow. */
  readonly content: boolean;
  /** Without dashes. */
  readonly options: readonly string[];
  /** Options with a value of any kind: no name of content follows them. */
  readonly free: readonly string[];
  /** Values of options. */
  readonly choices: Readonly<Record<string, readonly string[]>>;
}

/** Names of content with the text of a shell variable. They come from a server: none may mean something to a shell. */
function contentNames(variable: string): string {
  return `pressroom list --names "${variable}" 2>/dev/null </dev/null | grep -x '[A-Za-z0-9_.-]*'`;
}

export function bash(places: readonly Place[]): string {
  const cases = places.map(({ path, words, content, options }) => {
    const flags = dashed(options).join(' ');
    const follows = words === null ? '' : ` words="${namesOf(words).join(' ')}"; files=`;
    return `    '${path}') flags="${flags}";${follows}${content ? ' content=1 files=1' : ''} ;;`;
  });
  return `
_pressroom() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local place= flags= words= files=1 content= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${pathsOf(places)}) place="$place \${COMP_WORDS[i]}" ;;
      *) break ;;
    esac
  done
  case "$place $previous" in
${choicesOf(places, (pattern, values) => `    ${pattern}) COMPREPLY=($(compgen -W "${values}" -- "$current")); return ;;`)}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")); return ;;
  esac
  case "$place $previous" in
    *' --content') words= content=1 files=1 ;;
    ${freeOf(places)}) words= content= files=1 ;;
  esac
  [ -n "$content" ] && words="$words $(${contentNames('$current')})"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  # One a line: names of files have spaces.
  [ -n "$files" ] && while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$current")
}
complete -o filenames -F _pressroom pressroom`;
}

export function zsh(places: readonly Place[]): string {
  const flags = places.map(
    ({ path, options }) => `      '${path}') compadd -- ${dashed(options).join(' ')} ;;`,
  );
  const follows = places
    .filter(({ words }) => words !== null)
    .map(({ path, words }) => {
      const described = (words ?? []).map(({ name, summary }) => `'${name}:${quoted(summary)}'`);
      return `      '${path}') commands=(${described.join(' ')}); _describe command commands ;;`;
    });
  const content = places.flatMap((place) => (place.content ? [`'${place.path}'`] : []));
  return `
#compdef pressroom
_pressroom() {
  local current=$words[CURRENT] previous=$words[CURRENT-1] place= i
  local -a commands names
  for ((i = 2; i < CURRENT; i++)); do
    case "$place $words[i]" in
      ${pathsOf(places)}) place="$place $words[i]" ;;
      *) break ;;
    esac
  done
  case "$place $previous" in
${choicesOf(places, (pattern, values) => `    ${pattern}) compadd -- ${values}; return ;;`)}
  esac
  if [[ $current == -* ]]; then
    case "$place" in
${flags.join('\n')}
    esac
    return
  fi
  case "$place $previous" in
    ${freeOf(places)}) _files; return ;;
    *' --content' | ${content.map((path) => `${path}' '*`).join(' | ')})
      names=(\${(f)"$(${contentNames('$current')})"})
      compadd -a names ;;
  esac
  if [[ $previous == --content ]]; then
    _files
  else
    case "$place" in
${follows.join('\n')}
      *) _files ;;
    esac
  fi
}
if [ "$funcstack[1]" = _pressroom ]; then _pressroom; else compdef _pressroom pressroom; fi`;
}

export function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, content, options, free, choices }) => [
    ...(words ?? []).map(
      ({ name, summary }) =>
        `complete -c pressroom -n '__pressroom_at${path}' -f -a ${name} -d '${quoted(summary)}'`,
    ),
    ...(content ? [`complete -c pressroom -n '__pressroom_in${path}' -a '(__pressroom_names)'`] : []),
    ...options.map((name) => {
      const named = name === 'content' ? ` -r -a '(__pressroom_names)'` : '';
      const any = free.includes(name) ? ' -r' : named;
      const values = choices[name] === undefined ? any : ` -x -a '${choices[name].join(' ')}'`;
      return `complete -c pressroom -n '__pressroom_in${path}' -l ${name}${values}`;
    }),
  ]);
  return `
function __pressroom_at
    set -l words (commandline -opc)
    test "$words[2..-1]" = "$argv"
end
function __pressroom_in
    set -l words (commandline -opc)
    set -l last (math (count $argv) + 1)
    test (count $argv) -eq 0; or test "$words[2..$last]" = "$argv"
end
function __pressroom_names
    set -l current (commandline -ct)
    ${contentNames('$current')}
end
${lines.join('\n')}`;
}

/** All commands as one `case` pattern. */
function pathsOf(places: readonly Place[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join(' | ');
}

/** All options with any value as one `case` pattern. */
function freeOf(places: readonly Place[]): string {
  return places.flatMap(({ path, free }) => free.map((name) => `'${path} --${name}'`)).join(' | ');
}

function choicesOf(places: readonly Place[], line: (pattern: string, values: string) => string): string {
  const all = places.flatMap(({ path, choices }) =>
    Object.entries(choices).map(([option, values]) => line(`'${path} --${option}'`, values.join(' '))),
  );
  return all.join('\n');
}

function namesOf(words: readonly { readonly name: string }[]): string[] {
  return words.map(({ name }) => name);
}

function dashed(options: readonly string[]): string[] {
  return options.map((name) => `--${name}`);
}

/** In single quotes; a colon would end the name in zsh. */
function quoted(text: string): string {
  return text.replaceAll("'", '').replaceAll(':', '');
}
