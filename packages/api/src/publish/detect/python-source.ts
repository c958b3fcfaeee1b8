// Finds web applications in Python source by reading it: what is imported, and what is assigned at the top level.
import { kinds } from '../../contract/kinds.ts';

export interface PythonApplication {
  /** Name of the object, so that the entry point is `module:object`. */
  object: string;
  /** The kind of content. */
  appmode: string;
  /** Completes the sentence "so it is …". */
  what: string;
  /** What made it, for people: FastAPI, Flask, … */
  framework: string;
}

const pythonKinds = kinds.flatMap(({ appmode, detection }) =>
  detection?.by === 'python' ? [{ appmode, ...detection }] : [],
);
const CONSTRUCTORS: ReadonlyMap<string, Omit<PythonApplication, 'object'>> = new Map(
  pythonKinds.flatMap(({ appmode, what, constructors }) =>
    Object.entries(constructors).map(([name, framework]) => [name, { appmode, what, framework }]),
  ),
);
/** Functions that are applications themselves, by the names of their arguments. */
const FUNCTIONS = {
  asgi: {
    pattern:
      /^async[ \t]+def[ \t]+([A-Za-z_]\w*)[ \t]*\([ \t]*scope\b[^,)]*,[ \t]*receive\b[^,)]*,[ \t]*send\b/gm,
    framework: 'an ASGI function',
  },
  wsgi: {
    pattern: /^def[ \t]+([A-Za-z_]\w*)[ \t]*\([ \t]*environ\b[^,)]*,[ \t]*start_response\b/gm,
    framework: 'a WSGI function',
  },
} as const;

/** Applications at the top level of one file, in the order of the source. Nothing is executed. */
export function findPythonApplications(source: string): PythonApplication[] {
  const code = blankStringsAndComments(source);
  const names = importedNames(code);
  const found: PythonApplication[] = [];
  const assignment = /^([A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?=[ \t]*([A-Za-z_][\w.]*)[ \t]*\(/gm;
  for (const [, object, callee] of code.matchAll(assignment)) {
    const made = CONSTRUCTORS.get(resolveName(callee as string, names));
    if (made !== undefined) found.push({ object: object as string, ...made });
  }
  for (const { appmode, what, protocol } of pythonKinds) {
    if (protocol === undefined) continue;
    const { pattern, framework } = FUNCTIONS[protocol];
    for (const [, object] of code.matchAll(pattern))
      found.push({ object: object as string, appmode, what, framework });
  }
  return found;
}

/** Replaces string contents and comments by spaces and keeps line breaks, so that text about code is not taken for code. */
export function blankStringsAndComments(source: string): string {
  const token =
    /#[^\n]*|("""|''')(?:\\[\s\S]|(?!\1)[\s\S])*(?:\1|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?/g;
  return source.replace(/\r\n?/g, '\n').replace(token, (text) => text.replace(/[^\n]/g, ' '));
}

function importedNames(code: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const [, from, list] of code.matchAll(/^from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n;]*)/gm)) {
    for (const item of (list as string).replace(/[()\\]/g, ' ').split(',')) {
      const [name, as, alias] = item.trim().split(/\s+/);
      if (name !== undefined && name !== '')
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
  return names;
}

function resolveName(callee: string, names: ReadonlyMap<string, string>): string {
  const [head = '', ...rest] = callee.split('.');
  const origin = names.get(head);
  return origin === undefined ? '' : [origin, ...rest].join('.');
}
