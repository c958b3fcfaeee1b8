// Verifies webhooks of pushes by their secret, as GitHub, GitLab, Gitea and Forgejo sign them.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../sign-in/same-secret.ts';

/** By whichever of these headers is present. */
export function isPushAuthentic(headers: IncomingHttpHeaders, body: Buffer, secret: string): boolean {
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  const proofs: (readonly [string, string])[] = [
    ['x-hub-signature-256', `sha256=${mac}`],
    ['x-gitea-signature', mac],
    ['x-forgejo-signature', mac],
    ['x-gitlab-token', secret],
  ];
  return proofs.some(([name, expected]) => isSameSecret(headers[name], expected));
}
