// The oldest Node.js version that runs the server: it hashes passwords with argon2.
export const OLDEST = [24, 7] as const;

/** Null if it is recent enough. */
export function tooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isRecent = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return isRecent ? null : `Node.js ${version} is too old: install ${OLDEST.join('.')} or newer`;
}
