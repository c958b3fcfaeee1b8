// Verifies webhooks of pushes by their secret, as GitHub, GitLab, Gitea and Forgejo sign them.
import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readPieces } from '../http/read-text.ts';
import { isSameSecret } from '../sign-in/same-secret.ts';

/** GitHub sends no longer ones. */
const MAX_BYTES = 25 * 2 ** 20;

/**
 * Whether a push is authentic, by whichever of these headers is present. Reads its body, whose content does not matter.
 * @param secret null if there is none: then no push is authentic
 * @throws ApiError 87
 */
export async function readPush(request: IncomingMessage, secret: string | null): Promise<boolean> {
  const hmac = createHmac('sha256', secret ?? '');
  await readPieces(request, MAX_BYTES, (piece) => void hmac.update(piece));
  if (secret === null) return false;
  const mac = hmac.digest('hex');
  const proofs: (readonly [string, string])[] = [
    ['x-hub-signature-256', `sha256=${mac}`],
    ['x-gitea-signature', mac],
    ['x-forgejo-signature', mac],
    ['x-gitlab-token', secret],
  ];
  return proofs.some(([name, expected]) => isSameSecret(request.headers[name], expected));
}
