// Explains why a directory is of no known kind: what it seems to be, or what is missing.
import { wording, type Wording } from '../../client/failure-texts.ts';
import { kinds } from '../../contract/find-kind.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';
import type { ContentView } from './content-candidate.ts';
import { COMMAND } from './detect-program.ts';
import { usesShiny } from './detect-r.ts';
import { blankStringsAndComments, importedModules } from './python-source.ts';

/** Frameworks that the server does not support, by imported module. */
const FOREIGN: Readonly<Record<string, string>> = {
  chainlit: 'Chainlit',
  flet: 'Flet',
  mesop: 'Mesop',
  nicegui: 'NiceGUI',
  reflex: 'Reflex',
  solara: 'Solara',
  taipy: 'Taipy',
};

/** Main files of content below the top level. */
const STARTS = /\/(?:[^/]+\.(?:rmd|qmd|ipynb)|app\.R|plumber\.R|index\.html|(?:app|main)\.py)$/i;
const depthOf = (path: string) => path.split('/').length;
const firstBelow = (paths: ReadonlySet<string>) =>
  [...paths].filter((path) => STARTS.test(path)).toSorted((a, b) => depthOf(a) - depthOf(b))[0];

export function explainUnknown(view: ContentView): Wording {
  const names = [...view.names].toSorted();
  if (view.names.has('pressroom.toml'))
    return wording(BUNDLE_TEXTS.noCommand, 'pressroom.toml', `command = "${COMMAND}"`);
  const python = names.filter((name) => name.endsWith('.py'));
  for (const name of python) {
    const framework = foreignImport(view.text(name));
    if (framework !== undefined) return wording(BUNDLE_TEXTS.foreign, name, framework, published());
    const start = missingCall(view.text(name));
    if (start !== undefined) return wording(BUNDLE_TEXTS.otherStart, name, start.imports, start.example);
  }
  const quarto = names.find((name) => name.endsWith('.qmd'));
  if (quarto !== undefined) return wording(BUNDLE_TEXTS.interactiveQuarto, quarto, published());
  if (python.length > 0) {
    const text = python.length === 1 ? BUNDLE_TEXTS.noApplication : BUNDLE_TEXTS.noApplications;
    return wording(text, python.slice(0, 5).join(', '), frameworks().join(', '));
  }
  const notebook = names.find((name) => name.endsWith('.ipynb'));
  if (notebook !== undefined) return wording(BUNDLE_TEXTS.damagedNotebook, notebook);
  const shiny = names.find((name) => /\.r$/i.test(name) && usesShiny(view.text(name)));
  if (shiny !== undefined) return wording(BUNDLE_TEXTS.otherShinyFile, shiny);
  const plumber = names.find((name) => /^plumber\.r$/i.test(name));
  if (plumber !== undefined) return wording(BUNDLE_TEXTS.noRoutes, plumber);
  if (view.names.has('Procfile')) return wording(BUNDLE_TEXTS.noCommand, 'Procfile', `web: ${COMMAND}`);
  if (view.names.has('package.json')) return wording(BUNDLE_TEXTS.noStart);
  const below = firstBelow(view.paths);
  if (below === undefined) return wording(BUNDLE_TEXTS.nothingKnown);
  const directory = below.slice(0, below.lastIndexOf('/'));
  const file = below.slice(directory.length + 1);
  return below.endsWith('.py')
    ? wording(BUNDLE_TEXTS.belowOrEntryPoint, directory, file, below)
    : wording(BUNDLE_TEXTS.below, directory, file);
}

const published = () => kinds.map(({ plural }) => plural).join(', ');

function foreignImport(source: string): string | undefined {
  const found = packagesOf(source).find((name) => Object.hasOwn(FOREIGN, name));
  return found === undefined ? undefined : FOREIGN[found];
}

/** A framework that is imported, but not called as its kind requires. */
function missingCall(source: string): { imports: string; example: string } | undefined {
  const packages = packagesOf(source);
  for (const { detection } of kinds) {
    const { imports, example } = (detection?.by === 'python' && detection.script) || {};
    if (imports !== undefined && example !== undefined && packages.includes(imports))
      return { imports, example };
  }
  return undefined;
}

/** Packages that the source imports at top level. */
function packagesOf(source: string): string[] {
  return importedModules(blankStringsAndComments(source)).map((name) => name.split('.')[0]!);
}

function frameworks(): string[] {
  const named = kinds.flatMap(({ detection }) =>
    detection?.by === 'python' ? Object.values(detection.constructors) : [],
  );
  return [...new Set(named)];
}
