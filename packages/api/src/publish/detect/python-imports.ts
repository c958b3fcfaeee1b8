// Reads what Python source imports. Detection asks for what is at the top level, dependencies for all of it.

export interface PythonImport {
  /** Full name, such as `streamlit.components.v1`. */
  module: string;
  /** From 1. */
  line: number;
  /** Not within a function, a condition or the like. */
  topLevel: boolean;
}

/**
 * In the order of the source; relative imports are the project's own, and left out.
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
