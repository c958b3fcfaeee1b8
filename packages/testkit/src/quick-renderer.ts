// A substitute for Quarto that renders in a hundredth of the time of R or Jupyter, for tests of what follows a
// rendering: variants, schedules, mail, drafts. Rendering by R Markdown, notebooks and Quarto is tested with their
// engines.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs the code of a document; its output is the text of the page, and an error fails the rendering. */
const PROGRAM = String.raw`#!/usr/bin/python3 -IS
import io, json, os, sys

if sys.argv[1] == "--version":
    print("1.6.40")
    sys.exit()
asked = dict(zip(sys.argv[3::2], sys.argv[4::2]))
page, output = sys.argv[2], asked["--output-dir"]
given = json.load(open(asked["--execute-params"])) if "--execute-params" in asked else {}
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
  /** For a server that renders `quickDocument`. */
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

/** Metadata of a `quickDocument`'s manifest. */
export const QUICK_DOCUMENT = { appmode: 'quarto-static', primary_rmd: 'report.qmd' };

/**
 * Files of a document for the quick renderer.
 * @param code Python with the parameters as variables. Its output is the text of the page; `log(text)` prints to the
 * rendering's log, `write(name, text)` creates a file next to the page
 * @param params values, or `{ value, … }` with their description
 */
export function quickDocument(code: string, params: object = {}): { 'report.qmd': string } {
  return {
    'report.qmd': `---\nparams: ${JSON.stringify(params)}\n---\n\n\`\`\`{python}\n${code}\n\`\`\`\n`,
  };
}
