// Reads a JSON body, whatever its Content-Type, up to a limit.
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ApiError, errors } from '@pressroom/api/contract';
import { isSigned } from '../sign-in/tokens/signature.ts';
import { LINGER_MS } from './last-response.ts';

/** Maximum bytes of bodies other than archives. */
const MAX_BYTES = 1024 * 1024;

/** @throws ApiError 87 for a body that is too long, truncated or not UTF-8, 104 for a wrong checksum. */
export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await readBytes(request);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw errors.unreadableBody({ cause });
  }
}

/**
 * Reads and discards the body of a request that needs none. A truncated request must not take effect: its sender sees a
 * failure. @throws ApiError 87, 104
 */
export async function passOverBody(request: IncomingMessage): Promise<void> {
  const { headers } = request;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  if (length !== '0' || coding !== undefined || isSigned(headers)) await readBytes(request);
}

/** @throws ApiError 87 for a body that is too long or truncated, 104 for a wrong checksum. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  await readPieces(request, MAX_BYTES, (piece) => void pieces.push(piece));
  const bytes = Buffer.concat(pieces);
  requireSigned(request, bytes);
  return bytes;
}

/** Keeps nothing. @throws ApiError 87 for a body that is too long or truncated */
export async function readPieces(
  request: IncomingMessage,
  limit: number,
  take: (piece: Buffer) => void,
): Promise<void> {
  let size = 0;
  try {
    // Destroying the request would close the connection before the refusal is read.
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > limit) throw errors.unreadableBody({ message: `the body is longer than ${limit} bytes` });
      take(piece);
    }
  } catch (cause) {
    discardRest(request);
    throw cause instanceof ApiError ? cause : errors.unreadableBody({ cause });
  }
}

/** A signed request names its body's checksum. Archives are checked while they are received. */
function requireSigned({ headers }: IncomingMessage, bytes: Buffer): void {
  if (isSigned(headers) && headers['x-content-checksum'] !== hash('md5', bytes, 'base64'))
    throw errors.checksumMismatch();
}

/**
 * Discards the rest of a refused upload. Closing the connection with unread bytes would reset it: browsers then report
 * a failure of the network instead of the response.
 */
export function discardRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  const over = () => clearTimeout(end);
  // A parser of forms whose files nobody reads takes no more of it.
  request.unpipe().once('end', over).once('close', over).resume();
}
