// Parses imports of Python source. Detection uses those at top level, dependencies all of them.

export interface PythonImport {
  /** Full name, such as `streamlit.components.v1`. */
  module: string;
  /** From 1. */
  line: number;
  /** Not within a function, condition or similar. */
  topLevel: boolean;
}

/**
 * In source order, without relative imports, which are the project's own.
 * @param code without strings and comments, see blankStringsAndComments
 */
export function readPythonImports(code: string): PythonImport[] {
  return code.split('\n').flatMap((text, index) => {
    const [, indent = '', from, list = ''] =
      /^(\s*)(?:from\s+([A-Za-z_][\w.]*)\s+import\b|import\s+([^;]+))/.exec(text) ?? [];
    const modules = from === undefined ? list.split(',').map((item) => item.trim().split(/\s/)[0]!) : [from];
    return modules
      .filter((module) => /^[A-Za-z_][\w.]*$/.test(module))
      .map((module) => ({ module, line: index + 1, topLevel: indent === '' }));
  });
}
