// Reads cookies of requests, also where Fastify is not involved.

/** A cookie by name; the header may contain whole Set-Cookie strings, whose attributes are ignored. */
export function readCookie(header: string | undefined, name: string): string | null {
  for (const part of header?.split(/[;,]/) ?? []) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return null;
}
