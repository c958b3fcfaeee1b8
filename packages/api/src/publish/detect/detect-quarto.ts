// Detects Quarto: documents, and projects such as websites and books.
import type { ContentCandidate, ContentView } from './content-candidate.ts';
import { readFrontMatter } from './front-matter.ts';
import { rankDocuments } from './rank-documents.ts';

const PROJECT_FILES = ['_quarto.yml', '_quarto.yaml'];
/** Project types that are rendered as a whole. */
const SITES = /^(website|book|manuscript)$/;
const PAGES = /\.(qmd|rmd|ipynb|md)$/i;

/** Top-level documents, and a project whose pages belong together. */
export function detectQuarto(view: ContentView): ContentCandidate[] {
  const documents = [...view.names].filter((name) => name.endsWith('.qmd'));
  const projectFile = PROJECT_FILES.find((name) => view.names.has(name));
  const type = projectFile === undefined ? undefined : projectType(view.text(projectFile));
  if (projectFile !== undefined && type !== undefined && SITES.test(type)) {
    const pages = [...view.names].filter((name) => PAGES.test(name));
    const index = pages.find((name) => /^index\./i.test(name)) ?? pages[0];
    if (index === undefined) return [];
    const why = `${projectFile} makes a Quarto ${type}, which the server renders.`;
    return [candidate(index, { contentCategory: 'site', confidence: 0.96, why })];
  }
  return [...rankDocuments(view, documents)].flatMap(([name, confidence]) => {
    const { hasParameters, server } = readFrontMatter(view.text(name));
    // Requires a process: see explainUnknown.
    if (/^shiny/i.test(server ?? '')) return [];
    const why = `${name} is a Quarto document that the server renders.${hasParameters ? ' It takes parameters.' : ''}`;
    return [candidate(name, { hasParameters, confidence, why })];
  });
}

function candidate(
  name: string,
  found: Pick<ContentCandidate, 'confidence' | 'why'> & Partial<ContentCandidate>,
): ContentCandidate {
  return {
    appmode: 'quarto-static',
    contentCategory: '',
    primary: name,
    entrypoint: name,
    hasParameters: false,
    reason: { code: 'file', args: [name, 'quarto-static'] },
    ...found,
  };
}

/** `type:` below `project:`. Reads lines, not YAML: linear time for untrusted files. */
function projectType(text: string): string | undefined {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => /^project\s*:\s*(#.*)?$/.test(line));
  if (start === -1) return undefined;
  for (const line of lines.slice(start + 1)) {
    if (/^[^\s#]/.test(line)) return undefined;
    const type = /^\s+type\s*:\s*["']?([a-z-]+)/.exec(line)?.[1];
    if (type !== undefined) return type;
  }
  return undefined;
}
