// Explains why a directory is of no known kind: what it seems to be, or what is missing.
import { kinds } from '../../contract/kinds.ts';
import type { ContentView } from './content-candidate.ts';
import { usesShiny } from './detect-r.ts';
import { blankStringsAndComments, importedModules } from './python-source.ts';

/** Frameworks that the server does not support, by imported module. */
const FOREIGN: Readonly<Record<string, string>> = {
  chainlit: 'a Chainlit application',
  flet: 'a Flet application',
  mesop: 'a Mesop application',
  nicegui: 'a NiceGUI application',
  reflex: 'a Reflex application',
  solara: 'a Solara application',
  taipy: 'a Taipy application',
};

/** Main files of content below the top level. */
const STARTS = /\/(?:[^/]+\.(?:rmd|qmd|ipynb)|app\.R|plumber\.R|index\.html|(?:app|main)\.py)$/i;
const depthOf = (path: string) => path.split('/').length;
const firstBelow = (paths: ReadonlySet<string>) =>
  [...paths].filter((path) => STARTS.test(path)).toSorted((a, b) => depthOf(a) - depthOf(b))[0];

/** Sentences for people. */
export function explainUnknown(view: ContentView): string {
  const names = [...view.names].toSorted();
  const python = names.filter((name) => name.endsWith('.py'));
  for (const name of python) {
    const framework = foreignImport(view.text(name));
    if (framework !== undefined) return cannotRun(name, framework);
  }
  const quarto = names.find((name) => name.endsWith('.qmd'));
  if (quarto !== undefined) return cannotRun(quarto, 'an interactive Quarto document (server: shiny)');
  const [first] = python;
  if (first !== undefined) {
    const none =
      python.length === 1 ? `${first} does not make` : `None of ${python.slice(0, 5).join(', ')} makes`;
    return (
      `The type of this content is unknown. ${none} an application ` +
      `of a known framework (${frameworks().join(', ')}). ` +
      'Choose a type and an entry point, such as app:app, or app:make() for a function that makes it.'
    );
  }
  const notebook = names.find((name) => name.endsWith('.ipynb'));
  if (notebook !== undefined)
    return `${notebook} is no Jupyter notebook that can be read: it is empty or damaged. Open it in Jupyter and save it again.`;
  const shiny = names.find((name) => /\.r$/i.test(name) && usesShiny(view.text(name)));
  if (shiny !== undefined)
    return `The type of this content is unknown. ${shiny} uses shiny, which starts app.R, or ui.R and server.R: rename it.`;
  const below = firstBelow(view.paths);
  if (below !== undefined) {
    const directory = below.slice(0, below.lastIndexOf('/'));
    const also = below.endsWith('.py') ? `, or choose a type and the entry point ${below}` : '';
    return `There is nothing to publish at the top of the directory. Publish the directory ${directory} instead, which has ${below.slice(directory.length + 1)}${also}.`;
  }
  return 'The type of this content is unknown. Choose one, or add a file such as index.html, app.R, report.Rmd or app.py.';
}

function cannotRun(name: string, what: string): string {
  const known = kinds.map(({ plural }) => plural).join(', ');
  return `${name} is ${what}, which this version cannot publish. It publishes: ${known}.`;
}

function foreignImport(source: string): string | undefined {
  const modules = importedModules(blankStringsAndComments(source)).map((name) => name.split('.')[0]!);
  const found = modules.find((name) => Object.hasOwn(FOREIGN, name));
  return found === undefined ? undefined : FOREIGN[found];
}

function frameworks(): string[] {
  const named = kinds.flatMap(({ detection }) =>
    detection?.by === 'python' ? Object.values(detection.constructors) : [],
  );
  return [...new Set(named)];
}
