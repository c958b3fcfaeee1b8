// `fetch` for documents of identity providers: their responses may be endless.
import { readLimited } from './read-limited.ts';

/** More than keys and claims take. */
const MAX_BYTES = 2 ** 20;

/** @throws for a body of more than a megabyte. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const text = await readLimited(response, MAX_BYTES);
  if (text === null) throw new Error(`${new URL(url).host} answers with more than ${MAX_BYTES} bytes`);
  return new Response(response.body === null ? null : text, response);
}
