// Whether PAM knows the service of the settings.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where PAM looks for its services. */
const DIRECTORIES = ['/etc/pam.d', '/usr/lib/pam.d'];

/** What is missing, for the log; null if nothing is. PAM looks for the name in lower case, and goes on without one. */
export function missingService(service: string, directories: readonly string[] = DIRECTORIES): string | null {
  const [file, ...others] = directories.map((directory) => join(directory, service.toLowerCase()));
  if (file === undefined || [file, ...others].some((one) => existsSync(one))) return null;
  return `PAM.Service: there is no ${file}, so PAM uses its service "other"`;
}
