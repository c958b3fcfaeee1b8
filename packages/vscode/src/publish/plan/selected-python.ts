// The Python environment that the user selected for a folder, as the editor's Python extension knows it.
import { extensions, type Uri } from 'vscode';

export interface SelectedPython {
  /** Three numbers. */
  readonly version: string;
  /** Its directory, which holds installed packages. */
  readonly prefix: string | undefined;
}

/** What is used of the API of the Python extension. */
interface PythonExtension {
  readonly environments?: {
    getActiveEnvironmentPath(folder: Uri): object;
    resolveEnvironment(environment: object): Promise<Environment | undefined>;
  };
}
interface Environment {
  readonly version?: { readonly major: number; readonly minor: number; readonly micro: number };
  readonly executable?: { readonly sysPrefix?: string };
}

/** Undefined without the extension, or if it knows no version. */
export async function selectedPython(folder: Uri): Promise<SelectedPython | undefined> {
  const python = extensions.getExtension<PythonExtension>('ms-python.python');
  if (python?.isActive !== true) return undefined;
  try {
    const { environments } = python.exports;
    const selected = environments?.getActiveEnvironmentPath(folder);
    const found = selected && (await environments?.resolveEnvironment(selected));
    if (found?.version === undefined) return undefined;
    const { major, minor, micro } = found.version;
    const version = `${major}.${minor}.${micro}`;
    return /^3(\.\d+){2}$/.test(version) ? { version, prefix: found.executable?.sysPrefix } : undefined;
  } catch {
    // The Python of this machine is used instead.
    return undefined;
  }
}
