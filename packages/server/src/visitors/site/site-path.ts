// Converts the path of a URL to a file name below a root, or to an error status.

/** A file or directory below the root. */
export interface SitePath {
  /** Decoded, without leading slash; '' is the root. */
  relative: string;
  /** The URL ends with a slash, or is the root: a directory. */
  directory: boolean;
  /** The last component as in the URL, for a redirect to the same name with a slash. */
  lastRaw: string;
}

/**
 * Parses the raw path of a URL, decoding it once.
 * @returns 400 for invalid percent-encoding or a NUL; 404 for anything never served: `.` and `..`, dot files, the
 * bundle's own manifest, backslashes, encoded slashes, empty components
 */
export function readSitePath(raw: string): SitePath | 400 | 404 {
  const encoded = raw.startsWith('/') ? raw.slice(1) : raw;
  let decoded = encoded;
  if (encoded.includes('%')) {
    try {
      decoded = decodeURIComponent(encoded);
    } catch {
      return 400;
    }
  }
  if (decoded.includes('\0')) return 400;
  // An encoded slash would be part of a name, which no file has.
  if (count(decoded, '/') !== count(encoded, '/') || decoded.includes('\\')) return 404;
  const directory = decoded === '' || decoded.endsWith('/');
  const relative = decoded.endsWith('/') ? decoded.slice(0, -1) : decoded;
  if (relative === '') return encoded === '' ? { relative, directory, lastRaw: '' } : 404;
  if (relative === 'manifest.json') return 404;
  if (relative.split('/').some((component) => component === '' || component.startsWith('.'))) return 404;
  return { relative, directory, lastRaw: encoded.slice(encoded.lastIndexOf('/') + 1) };
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}
