// Finds web applications in Python source by parsing: imports, and top-level assignments.
import { kinds } from '../../contract/find-kind.ts';
import { readPythonImports } from './python-imports.ts';

export interface PythonApplication {
  /** Name of the object for the entry point `module:object`; null if the file itself is the application. */
  object: string | null;
  /** The kind of content. */
  appmode: string;
  /** Completes the sentence "so it is …". */
  what: string;
  /** Completes the sentence "app.py …": "makes a Flask application named app". */
  found: string;
}

const pythonKinds = kinds.flatMap(({ appmode, detection }) =>
  detection?.by === 'python' ? [{ appmode, ...detection }] : [],
);
const CONSTRUCTORS: ReadonlyMap<string, { appmode: string; what: string; framework: string }> = new Map(
  pythonKinds.flatMap(({ appmode, what, constructors }) =>
    Object.entries(constructors).map(([name, framework]) => [name, { appmode, what, framework }]),
  ),
);

/** Functions that are applications themselves, by their argument names. */
const FUNCTIONS = {
  asgi: {
    pattern:
      /^async[ \t]+def[ \t]+([A-Za-z_]\w*)[ \t]*\([ \t]*scope\b[^,()]*,[ \t]*receive\b[^,()]*,[ \t]*send\b/gm,
    framework: 'an ASGI function',
  },
  wsgi: {
    pattern: /^def[ \t]+([A-Za-z_]\w*)[ \t]*\([ \t]*environ\b[^,()]*,[ \t]*start_response\b/gm,
    framework: 'a WSGI function',
  },
} as const;

/** `app = FastAPI(`, `app, rt = fast_app(`, and `with gr.Blocks() as demo:`. */
const ASSIGNED =
  /^(?<object>[A-Za-z_]\w*)(?:[ \t]*,[ \t]*\w+)*[ \t]*(?::[^=\n]+)?=[ \t]*(?<callee>[A-Za-z_][\w.]*)[ \t]*\(/gm;
const WITH =
  /^with[ \t]+(?<callee>[A-Za-z_][\w.]*)[ \t]*\((?:[^()]|\([^()]*\))*\)[ \t]+as[ \t]+(?<object>[A-Za-z_]\w*)[ \t]*:/gm;

/** Top-level applications of a file, in source order. Nothing is executed. */
export function findPythonApplications(source: string): PythonApplication[] {
  const code = blankStringsAndComments(source);
  const names = importedNames(code);
  const found: PythonApplication[] = [];
  for (const pattern of [ASSIGNED, WITH]) {
    for (const { groups } of code.matchAll(pattern)) {
      const { object = '', callee = '' } = groups ?? {};
      const made = resolveNames(callee, names)
        .map((name) => CONSTRUCTORS.get(name))
        .find(Boolean);
      if (made === undefined) continue;
      const { appmode, what, framework } = made;
      found.push({ object, appmode, what, found: `makes a ${framework} application named ${object}` });
    }
  }
  for (const { appmode, what, protocol } of pythonKinds) {
    if (protocol === undefined) continue;
    const { pattern, framework } = FUNCTIONS[protocol];
    for (const [, object = ''] of code.matchAll(pattern))
      found.push({ object, appmode, what, found: `defines ${object}, ${framework}` });
  }
  const modules = importedModules(code);
  for (const { appmode, what, script } of pythonKinds) {
    if (script === undefined || found.some((one) => one.appmode === appmode)) continue;
    const { imports, calls } = script;
    if (!modules.some((module) => module === imports || module.startsWith(`${imports}.`))) continue;
    if (calls === undefined || isCalled(calls, code))
      found.push({ object: null, appmode, what, found: `imports ${imports}` });
  }
  return found;
}

/**
 * Replaces string contents and comments by spaces and keeps line breaks, so that text about code does not count as
 * code.
 */
export function blankStringsAndComments(source: string): string {
  const token =
    /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/g;
  return source.replace(/\r\n?/g, '\n').replace(token, (text) => text.replace(/[^\n]/g, ' '));
}

/** Full names of modules imported at top level. */
export function importedModules(code: string): string[] {
  return readPythonImports(code)
    .filter(({ topLevel }) => topLevel)
    .map(({ module }) => module);
}

interface ImportedNames {
  /** Full names by what the file calls them. */
  readonly names: ReadonlyMap<string, string>;
  /** Modules of which everything is imported. */
  readonly whole: readonly string[];
}

function importedNames(code: string): ImportedNames {
  const names = new Map<string, string>();
  const whole: string[] = [];
  for (const [, from, list] of code.matchAll(/^from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^()]*\)|[^\n;]*)/gm)) {
    for (const item of (list as string).replace(/[()\\]/g, ' ').split(',')) {
      const [name, as, alias] = item.trim().split(/\s+/);
      if (name === '*') whole.push(from!);
      else if (name !== undefined && name !== '')
        names.set(as === 'as' && alias ? alias : name, `${from}.${name}`);
    }
  }
  for (const [, list] of code.matchAll(/^import[ \t]+([^\n;]+)/gm)) {
    for (const item of (list as string).split(',')) {
      const [name, as, alias] = item.trim().split(/\s+/);
      if (name === undefined || name === '') continue;
      if (as === 'as' && alias !== undefined) names.set(alias, name);
      else names.set(name.split('.')[0] as string, name.split('.')[0] as string);
    }
  }
  return { names, whole };
}

/** Possible full names. */
function resolveNames(callee: string, { names, whole }: ImportedNames): string[] {
  const [head = '', ...rest] = callee.split('.');
  const origin = names.get(head);
  return origin === undefined ? whole.map((module) => `${module}.${callee}`) : [[origin, ...rest].join('.')];
}

/** @param name of a function, or of a method with a leading dot */
function isCalled(name: string, code: string): boolean {
  const [start, word] = name.startsWith('.') ? ['\\.', name.slice(1)] : ['\\b', name];
  return new RegExp(`${start}${word}[ \\t]*\\(`).test(code);
}
