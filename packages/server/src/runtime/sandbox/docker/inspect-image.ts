// Probes an image, in a container like those of content: which R, Python and Node.js it has, with which packages.
import { readDescription, type Description } from '../../restore/r/r-library.ts';
import { compareVersions } from '../../restore/versions.ts';
import {
  TOOLS,
  type ImageProgram,
  type ImagePython,
  type ImageR,
  type RuntimeImage,
} from './runtime-image.ts';

/** The rights of processes in containers of the image, according to the kernel. */
export interface Kept {
  readonly capabilities: boolean;
  readonly newPrivileges: boolean;
  readonly filtersCalls: boolean;
  readonly writesRoot: boolean;
}

/** First version of pip with `--python`. */
const PIP_SINCE = '22.3';
const ASK_R = `cat(as.character(getRversion()), R.version$platform, getOption("repos")[[1]], sep = "\\n")
for (file in Sys.glob(file.path(.libPaths(), "*", "DESCRIPTION"))) {
  cat("\\n@@description\\n")
  writeLines(readLines(file, warn = FALSE), useBytes = TRUE)
}`;
const ASK_PYTHON = `import importlib.util, sys
from importlib import metadata
try:
    pip = metadata.version("pip")
except Exception:
    pip = ""
print("%d.%d.%d" % sys.version_info[:3], pip, *[m for m in sys.argv[1:] if importlib.util.find_spec(m)], sep="\\n")`;

/** Each part of the output begins with a marker line. The image comes from an administrator and is trusted. */
const PROBE = `say() { printf '\\n@@%s\\n' "$1"; }
: > "$HOME/probe" || exit 90
say status; cat /proc/self/status
say root; (: > /pressroom-probe) 2>/dev/null && echo writable
say system; cat /etc/os-release 2>/dev/null
say accounts; cat /etc/passwd 2>/dev/null
if r=$(command -v Rscript); then
  say r-file; echo "$r"
  say r; "$r" --no-init-file --no-environ -e "$1"
fi
if python=$(command -v python3); then
  say python-file; echo "$python"
  shift; say python; "$python" -I -c "$@"
fi
if node=$(command -v node) && command -v npm >/dev/null; then say node-file; echo "$node"; say node; "$node" --version; fi
if command -v pandoc >/dev/null; then say pandoc; pandoc --version; fi
if command -v git >/dev/null; then say git; git --version; fi
say end`;

/** Arguments of `sh`. */
export const PROBE_ARGUMENTS: readonly string[] = ['-c', PROBE, 'sh', ASK_R, ASK_PYTHON, ...TOOLS];

/** `accounts` is its `/etc/passwd`. @throws Error with the problem of the image. */
export function readResponse(
  name: string,
  id: string,
  response: string,
): { image: RuntimeImage; kept: Kept; accounts: string } {
  const parts = response.split(/^@@(?=[a-z-]+$)/m).map((part) => {
    const end = part.indexOf('\n');
    return { title: part.slice(0, end), text: part.slice(end + 1).trim() };
  });
  const of = (title: string) => parts.find((part) => part.title === title)?.text ?? '';
  if (!parts.some(({ title }) => title === 'end')) throw new Error('it could not be looked at');
  const descriptions = parts.filter(({ title }) => title === 'description').map(({ text }) => text);
  const image = {
    name,
    id,
    system: systemOf(of('system')),
    r: readR(of('r-file'), of('r'), descriptions),
    python: readPython(of('python-file'), of('python')),
    node: readNode(of('node-file'), of('node')),
    git: of('git') !== '',
    pandoc: /^pandoc\S* (\S+)/.exec(of('pandoc'))?.[1] ?? null,
  };
  if (image.r === null && image.python === null && image.node === null)
    throw new Error('it has neither R nor Python nor Node.js on its PATH');
  return { image, kept: readStatus(of('status'), of('root')), accounts: of('accounts') };
}

function systemOf(release: string): string {
  const field = (name: string) => new RegExp(`^${name}="?([\\w.-]+)"?$`, 'm').exec(release)?.[1];
  return [field('ID') ?? 'linux', field('VERSION_ID')].filter((part) => part !== undefined).join('-');
}

const isVersion = (text: string | undefined) => /^\d+(\.\d+)+$/.test(text ?? '');

function readR(file: string, response: string, descriptions: readonly string[]): ImageR | null {
  const [version = '', platform = '', repos = ''] = response.split('\n');
  if (!isVersion(version) || platform === '') return null;
  const packages = new Map<string, Description>();
  for (const text of descriptions) {
    const found = readDescription(text);
    if (found && !packages.has(found.name)) packages.set(found.name, found);
  }
  const repository = /^(https?|file):/.test(repos) ? repos : null;
  return { version, file, platform, repository, packages: [...packages.values()] };
}

function readPython(file: string, response: string): ImagePython | null {
  const [version = '', pip = '', ...tools] = response.split('\n');
  if (!isVersion(version)) return null;
  const hasPip = isVersion(pip) && compareVersions(pip, PIP_SINCE) >= 0;
  return { version, file, hasPip, tools };
}

function readNode(file: string, response: string): ImageProgram | null {
  const version = /^v(\d[\d.]*)/.exec(response)?.[1];
  return version === undefined ? null : { version, file };
}

function readStatus(status: string, root: string): Kept {
  const field = (name: string) => new RegExp(`^${name}:\\s*(\\w+)`, 'm').exec(status)?.[1] ?? '';
  const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
  return {
    capabilities: sets.some((name) => !/^0+$/.test(field(name))),
    newPrivileges: field('NoNewPrivs') !== '1',
    filtersCalls: field('Seccomp') === '2',
    writesRoot: root.includes('writable'),
  };
}
