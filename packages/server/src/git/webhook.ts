// Verifies webhooks of pushes by their secret, as GitHub, GitLab, Gitea and Forgejo sign them.
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** By whichever of these headers is present. */
export function isPushAuthentic(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
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
