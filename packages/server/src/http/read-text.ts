// Reads a JSON body, whatever its Content-Type says, up to a limit.
import type { IncomingMessage } from 'node:http';
import { ApiError, errors } from '@pressroom/api/contract';

/** Longest body beside archives. */
const MAX_BYTES = 1024 * 1024;

/** @throws ApiError 87 for a body that is too long, cut off or not UTF-8. */
export async function readText(request: IncomingMessage): Promise<string> {
  const bytes = await readBytes(request);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw errors.unreadableBody({ cause });
  }
}

/**
 * Passes over the body of a request that needs none. What does not arrive whole must not take effect: its sender is
 * told that it failed. @throws ApiError 87
 */
export async function passOverBody(request: IncomingMessage): Promise<void> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  if (length !== '0' || coding !== undefined) await readBytes(request);
}

/** @throws ApiError 87 for a body that is too long or cut off. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES)
        throw errors.unreadableBody({ message: `the body is longer than ${MAX_BYTES} bytes` });
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    throw cause instanceof ApiError ? cause : errors.unreadableBody({ cause });
  }
}
