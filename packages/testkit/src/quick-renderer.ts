// A stand-in for Quarto that renders in a hundredth of the time of R or Jupyter, for tests of what follows a rendering: variants,
// schedules, mail, drafts. What R Markdown, notebooks and Quarto make of a document is tested beside their engines.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs the code of a document; what that prints is the text of its page, and an error of it fails the rendering. */
const PROGRAM = String.raw`#!/usr/bin/python3 -IS
import io, json, os, sys

if sys.argv[1] == "--version":
    print("1.6.40")
    sys.exit()
page, output = sys.argv[2], sys.argv[4]
given = json.load(open(sys.argv[6])) if len(sys.argv) > 6 else {}
_, front, code = open(page, encoding="utf-8").read().split("---\n", 2)
declared = json.loads(front.removeprefix("params: "))
params = {name: one["value"] if isinstance(one, dict) else one for name, one in declared.items()}
os.makedirs(output)

def log(text):
    print(text, file=sys.__stdout__, flush=True)

def write(name, text):
    with open(os.path.join(output, name), "w", encoding="utf-8") as file:
        file.write(text)

sys.stdout = io.StringIO()
exec(code.split(chr(96) * 3)[1].removeprefix("{python}"), {**params, **given, "log": log, "write": write})
text = sys.stdout.getvalue().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
stem = os.path.basename(page).removesuffix(".qmd")
write(stem + ".html", "<!doctype html>\n<title>" + stem + "</title>\n<pre>" + text + "</pre>\n")
`;

export interface QuickRenderer extends AsyncDisposable {
  /** For a server whose documents are those of `quickDocument`. */
  readonly settings: { readonly 'Quarto.Executable': string };
}

export async function makeQuickRenderer(): Promise<QuickRenderer> {
  const directory = await mkdtemp(join(tmpdir(), 'pressroom-quick-'));
  const file = join(directory, 'bin/quarto');
  await mkdir(join(directory, 'bin'));
  await writeFile(file, PROGRAM, { mode: 0o755 });
  await chmod(directory, 0o755);
  return {
    settings: { 'Quarto.Executable': file },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Of the manifest of a `quickDocument`. */
export const QUICK_DOCUMENT = { appmode: 'quarto-static', primary_rmd: 'report.qmd' };

/**
 * The files of a document that a quick renderer renders.
 * @param code Python with the parameters as variables. It prints the text of the page; `log(text)` prints to the log of the
 * rendering, `write(name, text)` makes a file beside the page
 * @param params values, or `{ value, … }` with what describes them
 */
export function quickDocument(code: string, params: object = {}): { 'report.qmd': string } {
  return {
    'report.qmd': `---\nparams: ${JSON.stringify(params)}\n---\n\n\`\`\`{python}\n${code}\n\`\`\`\n`,
  };
}
