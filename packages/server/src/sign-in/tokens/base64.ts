// Strict base64: Buffer.from ignores invalid characters.

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null if invalid or empty. */
export function readBase64(text: string): Buffer | null {
  return text !== '' && BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}
