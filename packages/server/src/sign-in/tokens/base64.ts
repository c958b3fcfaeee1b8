// Base64 without leniency: Buffer.from passes over whatever is none.

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Null for what is not base64, or is empty. */
export function readBase64(text: string): Buffer | null {
  return text !== '' && BASE64.test(text) ? Buffer.from(text, 'base64') : null;
}
