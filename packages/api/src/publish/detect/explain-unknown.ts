// Says why a directory is none of the known kinds: what it is instead, as far as its files tell, or what is missing.
import { kinds } from '../../contract/kinds.ts';
import type { ContentView } from './content-candidate.ts';
import { blankStringsAndComments, importedModules } from './python-source.ts';

/** Frameworks whose applications no engine of the server runs, by the module that is imported. */
const FOREIGN: Readonly<Record<string, string>> = {
  chainlit: 'a Chainlit application',
  flet: 'a Flet application',
  mesop: 'a Mesop application',
  nicegui: 'a NiceGUI application',
  reflex: 'a Reflex application',
  solara: 'a Solara application',
  taipy: 'a Taipy application',
};

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
      `of a known framework (${frameworks().join(', ')}). Choose a type and an entry point, such as app:app.`
    );
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
