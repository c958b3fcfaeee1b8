// Facts of an R Markdown or Quarto front matter that decide how it is published. Reads lines, not YAML: linear time for
// untrusted files.

export interface FrontMatter {
  /** `runtime:`, such as shiny or shiny_prerendered. */
  runtime: string | undefined;
  /** `server:`, or the `type:` below it. */
  server: string | undefined;
  /** `site:`, such as rmarkdown::render_site or bookdown::bookdown_site. */
  site: string | undefined;
  title: string | undefined;
  /** `engine:` of Quarto. */
  engine: string | undefined;
  /** Whether `jupyter:` is present. */
  hasKernel: boolean;
  /** Whether `params:` is a non-empty mapping. */
  hasParameters: boolean;
}

/** Reads the block between the first two `---` lines; everything is unknown if there is none. */
export function readFrontMatter(text: string): FrontMatter {
  const lines = frontMatterLines(text);
  const server = scalar(lines, 'server');
  return {
    runtime: scalar(lines, 'runtime'),
    server: server === undefined || server === '' ? childScalar(lines, 'server', 'type') : server,
    site: scalar(lines, 'site'),
    title: scalar(lines, 'title'),
    engine: scalar(lines, 'engine'),
    hasKernel: scalar(lines, 'jupyter') !== undefined,
    hasParameters: hasEntries(lines, 'params'),
  };
}

function frontMatterLines(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start === -1 || !/^---\s*$/.test(lines[start] as string)) return [];
  const length = lines.slice(start + 1).findIndex((line) => /^(---|\.\.\.)\s*$/.test(line));
  return length === -1 ? [] : lines.slice(start + 1, start + 1 + length);
}

function keyOf(line: string, key: string): string | undefined {
  const found = new RegExp(`^(?:${key}|"${key}"|'${key}')\\s*:(?=\\s|$)`).exec(line);
  return found === null ? undefined : line.slice(found[0].length).trimStart();
}

function scalar(lines: readonly string[], key: string): string | undefined {
  for (const line of lines) {
    const value = keyOf(line, key);
    if (value !== undefined) return unquote(value);
  }
  return undefined;
}

function unquote(value: string): string {
  const quoted = /^(["'])(.*?)\1/.exec(value.trim());
  return quoted === null ? value.replace(/(^|\s)#.*/s, '').trim() : (quoted[2] as string);
}

/** The indented lines below a top-level key, without blank lines and comments. */
function childrenOf(lines: readonly string[], key: string): string[] {
  const start = lines.findIndex((line) => keyOf(line, key) !== undefined);
  if (start === -1) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^[^\s#]/.test(line));
  return (end === -1 ? rest : rest.slice(0, end)).filter((line) => /^\s+[^\s#]/.test(line));
}

function childScalar(lines: readonly string[], key: string, child: string): string | undefined {
  return scalar(
    childrenOf(lines, key).map((line) => line.trimStart()),
    child,
  );
}

function hasEntries(lines: readonly string[], key: string): boolean {
  const value = scalar(lines, key);
  if (value === undefined) return false;
  if (value === '') return childrenOf(lines, key).length > 0;
  return value.startsWith('{') && !/^\{\s*\}/.test(value);
}
