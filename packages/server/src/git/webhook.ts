// Whether a push is told by who knows the secret: as GitHub, GitLab, Gitea and Forgejo prove it.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** By any of the headers that is there. */
export function isPushProven(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  const proofs: (readonly [string, string])[] = [
    ['x-hub-signature-256', `sha256=${mac}`],
    ['x-gitea-signature', mac],
    ['x-forgejo-signature', mac],
    ['x-gitlab-token', secret],
  ];
  return proofs.some(([name, expected]) => isSame(headers[name], expected));
}

function isSame(given: string | string[] | undefined, expected: string): boolean {
  if (typeof given !== 'string') return false;
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'));
}
