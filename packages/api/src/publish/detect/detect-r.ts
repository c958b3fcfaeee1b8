// Detects R content: Shiny applications, Plumber APIs, R Markdown documents and sites.
import type { ContentCandidate, ContentView, Reason } from './content-candidate.ts';
import { readFrontMatter } from './front-matter.ts';
import { rankDocuments } from './rank-documents.ts';

const ROUTE = /^#[*'][ \t]*@(get|post|put|delete|head|options|patch|use|plumber|filter|assets|apiTitle)\b/m;
const SHINY = /\b(shinyApp|shinyAppDir|runApp)\s*\(|\blibrary\s*\(\s*["']?shiny["']?\s*\)|\bshiny::/;

/** app.R, or server.R with ui.R or www/index.html. */
export function detectShiny(view: ContentView): ContentCandidate[] {
  const found: ContentCandidate[] = [];
  const app = named(view, 'app.R');
  if (app !== undefined) {
    const sure = usesShiny(view.text(app));
    found.push({
      ...shiny(app),
      confidence: sure ? 0.95 : 0.5,
      why: sure
        ? `${app} is a Shiny application: it uses the shiny package.`
        : `${app} is where a Shiny application would be, but it does not mention the shiny package.`,
      reason: { code: sure ? 'shiny' : 'shiny-unsure', args: [app] },
    });
  }
  const server = named(view, 'server.R');
  const ui = named(view, 'ui.R');
  if (server !== undefined && ui !== undefined) {
    const why = `${ui} and ${server} make a Shiny application.`;
    found.push({ ...shiny(server), confidence: 0.94, why, reason: twoFiles(ui, server) });
  } else if (server !== undefined && view.paths.has('www/index.html')) {
    const why = `${server} with www/index.html makes a Shiny application.`;
    found.push({ ...shiny(server), confidence: 0.9, why, reason: twoFiles('www/index.html', server) });
  }
  return found;
}

const PLUMBER2 = /^engine[ \t]*:[ \t]*["']?plumber2\b/m;

/** Settings of plumber2, plumber.R or entrypoint.R, or any top-level R file with Plumber's annotations. */
export function detectPlumber(view: ContentView): ContentCandidate[] {
  const settings = ['_server.yml', '_server.yaml'].find(
    (name) => view.names.has(name) && PLUMBER2.test(view.text(name)),
  );
  return [...(settings === undefined ? [] : [plumber2(settings)]), ...plumberFiles(view)];
}

function plumber2(name: string): ContentCandidate {
  return {
    appmode: 'api',
    contentCategory: '',
    primary: name,
    entrypoint: name,
    hasParameters: false,
    // It lists the annotated files.
    confidence: 0.97,
    why: `${name} builds a Plumber router, so it is an API.`,
    reason: { code: 'plumber-router', args: [name] },
  };
}

function plumberFiles(view: ContentView): ContentCandidate[] {
  const usual = ['entrypoint.R', 'plumber.R'].map((name) => named(view, name)).filter((n) => n !== undefined);
  return rFiles(view).flatMap((name) => {
    const text = view.text(name);
    const annotated = ROUTE.test(text);
    const mentions = /\b(plumber2?::|library\s*\(\s*["']?plumber2?["']?\s*\)|plumb\s*\(|pr\s*\()/.test(
      withoutComments(text),
    );
    const rank = usual.indexOf(name);
    if (!annotated && (rank === -1 || !mentions)) return [];
    return [
      {
        appmode: 'api',
        contentCategory: '',
        primary: name,
        entrypoint: name,
        hasParameters: false,
        // entrypoint.R builds the router itself and takes precedence over the file it plumbs.
        confidence: rank === -1 ? 0.8 : 0.96 - rank / 100,
        why: annotated
          ? `${name} has Plumber annotations (such as #* @get), so it is an API.`
          : `${name} builds a Plumber router, so it is an API.`,
        reason: { code: annotated ? 'plumber-annotations' : 'plumber-router', args: [name] },
      },
    ];
  });
}

/** Top-level R Markdown: a site, interactive documents, documents to render. */
export function detectRMarkdown(view: ContentView): ContentCandidate[] {
  const documents = [...view.names].filter((name) => /\.rmd$/i.test(name));
  const index = documents.find((name) => /^index\.rmd$/i.test(name));
  const siteFile = ['_site.yml', '_site.yaml', '_bookdown.yml', '_bookdown.yaml'].find((name) =>
    view.names.has(name),
  );
  return [...rankDocuments(view, documents)].map(([name, confidence]) => {
    const matter = readFrontMatter(view.text(name));
    const base = { contentCategory: '', primary: name, entrypoint: name };
    const interactive = isShiny(matter.runtime) || isShiny(matter.server);
    if (interactive) {
      return {
        ...base,
        appmode: 'rmd-shiny',
        hasParameters: false,
        // Any interactive document means that the directory must run.
        confidence: confidence + 0.01,
        why: `${name} is an interactive R Markdown document (its front matter asks for Shiny).`,
        reason: { code: 'interactive-document', args: [name] },
      };
    }
    if (name === index && (siteFile !== undefined || (matter.site ?? '') !== '')) {
      return {
        ...base,
        appmode: 'rmd-static',
        contentCategory: 'site',
        hasParameters: false,
        confidence: 0.95,
        why: `${name} with ${siteFile ?? '"site:" in its front matter'} makes an R Markdown site.`,
        reason: { code: 'site', args: [name, siteFile ?? 'site:'] },
      };
    }
    const parameters = matter.hasParameters ? ' It takes parameters.' : '';
    return {
      ...base,
      appmode: 'rmd-static',
      hasParameters: matter.hasParameters,
      confidence,
      why: `${name} is an R Markdown document that the server renders.${parameters}`,
      reason: { code: matter.hasParameters ? 'document-with-parameters' : 'document', args: [name] },
    };
  });
}

function shiny(name: string): Omit<ContentCandidate, 'confidence' | 'why' | 'reason'> {
  return { appmode: 'shiny', contentCategory: '', primary: name, entrypoint: name, hasParameters: false };
}

function twoFiles(...args: string[]): Reason {
  return { code: 'shiny-two-files', args };
}

function isShiny(value: string | undefined): boolean {
  return /^shiny/i.test(value ?? '');
}

/** A file of that name in any case. */
function named(view: ContentView, name: string): string | undefined {
  if (view.names.has(name)) return name;
  return [...view.names].find((other) => other.toLowerCase() === name.toLowerCase());
}

function rFiles(view: ContentView): string[] {
  return [...view.names].filter((name) => /\.r$/i.test(name));
}

/** @param text of an R file */
export function usesShiny(text: string): boolean {
  return SHINY.test(withoutComments(text));
}

function withoutComments(text: string): string {
  return text.replace(/^[ \t]*#.*$/gm, '');
}
