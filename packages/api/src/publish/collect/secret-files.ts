// Files whose names suggest keys or passwords.
import type { BundleFile } from './bundle-file.ts';
import { mayHoldSecrets } from './default-exclusions.ts';

const KEY_FILE = /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/i;
const CREDENTIALS =
  /^(credentials?|secrets?|service[-_]?account.*|client[-_]?secret.*|\.htpasswd|token)(\.(json|ya?ml|toml|ini|cfg|conf|txt|csv))?$/i;

/** Files of a bundle whose names suggest keys or passwords; an own manifest.json may list those excluded otherwise. */
export function secretFiles(files: readonly BundleFile[]): string[] {
  return files
    .map(({ path: file }) => file)
    .filter((file) => {
      const name = file.slice(file.lastIndexOf('/') + 1);
      return KEY_FILE.test(name) || CREDENTIALS.test(name) || mayHoldSecrets(file);
    });
}
