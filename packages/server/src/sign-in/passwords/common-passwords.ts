// Checks for common passwords: about fifty thousand, loaded at the first check.

let common: Promise<ReadonlySet<string>> | null = null;

export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set((dictionary['passwords-common'] as readonly string[]).map(plain)),
  );
  return (await common).has(plain(password));
}

/** Common decorations do not make a common password better. */
function plain(password: string): string {
  return password.normalize('NFKC').toLowerCase();
}
