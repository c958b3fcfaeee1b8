// Reads cookies of requests, also where Fastify is not involved.

/** A cookie by name; the header may contain whole Set-Cookie strings, whose attributes are ignored. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of header?.split(/[;,]/) ?? []) {
    const [key, value] = trimBlanks(part).split('=', 2);
    if (key === name && value) return value;
  }
  return null;
}

/**
 * Without spaces and tabs around it. `trim` would also remove a non-breaking space, with which browsers take a name for
 * another one: any host below ours can set it.
 */
export function trimBlanks(part: string): string {
  let [start, end] = [0, part.length];
  while (start < end && isBlank(part[start])) start += 1;
  while (end > start && isBlank(part[end - 1])) end -= 1;
  return part.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
