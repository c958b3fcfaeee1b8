// A substitute for Quarto's command line, which no package registry offers: `--version`, `inspect` and `render` as
// documented, with real knitr, Python and pandoc behind them.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = String.raw`#!/bin/sh
set -eu
fence=$(printf '\140\140\140')
if [ "$1" = --version ]; then echo 1.6.40; exit 0; fi
if [ "$1" = inspect ]; then
  target=$(realpath "$2")
  if grep -qr "^$fence{python" "$target"; then engine=jupyter; elif grep -qr "^$fence{r" "$target"; then engine=knitr; else engine=markdown; fi
  files=
  [ ! -d "$target" ] || files=$(find "$target" -name '*.qmd' | sed 's/.*/"&"/' | paste -sd, -)
  printf '{"quarto":{"version":"1.6.40"},"engines":["%s"],"config":{"project":{}},"files":{"input":[%s]}}' $engine "$files"
  exit 0
fi
[ "$1" = render ] || exit 2
input=$2; shift 2
out= params=-
while [ $# -gt 0 ]; do
  case $1 in
    --output-dir) out=$2 ;;
    --execute-params) params=$2 ;;
    -M) echo "metadata: $2" ;;
    *) exit 2 ;;
  esac
  shift 2
done
mkdir -p "$out"
if [ "$input" = . ]; then
  set -- *.qmd
  [ -f "$1" ] || set -- *.py
else set -- "$input"; fi
for page; do
  stem=$page
  for suffix in .qmd .ipynb .py; do stem=$(basename "./$stem" $suffix); done
  echo "processing file: $stem.qmd"
  work=$(mktemp -d)
  if grep -q "^$fence{r" "$page"; then
    "$QUARTO_R" -e 'a <- commandArgs(TRUE); front <- rmarkdown::yaml_front_matter(a[1]); params <- front$params' \
      -e 'if (a[3] != "-") params[names(jsonlite::fromJSON(a[3]))] <- jsonlite::fromJSON(a[3])' \
      -e 'knitr::pat_md(); knitr::render_markdown(); knitr::opts_chunk$set(error = FALSE, fig.path = paste0(a[4], "_files/")); knitr::knit(basename(a[1]), a[2], quiet = TRUE)' "$page" "$work/page.md" "$params" "$stem"
    files=
  [ ! -d "$stem"_files ] || cp -R "$stem"_files "$out"
  elif grep -q "^$fence{python" "$page"; then
    sed -n "/^$fence{python/,/^$fence\$/p" "$page" | grep -v "^$fence" >"$work/code.py" || true
    sed "/^$fence{python/,/^$fence\$/d" "$page" >"$work/page.md"
    kernel=$("$QUARTO_PYTHON" -c 'from jupyter_client import kernelspec as k; print(k.get_kernel_spec("python3").argv[0])')
    { echo; "$kernel" "$work/code.py"; } >>"$work/page.md"
  else
    cp "$page" "$work/page.md"
  fi
  if grep -q '^format: docx' "$page"; then
    pandoc -s "$work/page.md" -o "$out/$stem.docx"
  else
    pandoc -s --metadata "pagetitle=$stem" "$work/page.md" -o "$out/$stem.html"
  fi
  rm -rf "$work"
done
`;

export interface QuartoStandIn extends AsyncDisposable {
  readonly file: string;
  readonly version: string;
}

export async function makeQuartoStandIn(): Promise<QuartoStandIn> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-quarto-'));
  await mkdir(join(directory, 'bin'));
  const file = join(directory, 'bin/quarto');
  await writeFile(file, PROGRAM, { mode: 0o755 });
  await chmod(directory, 0o755);
  return {
    file,
    version: '1.6.40',
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
