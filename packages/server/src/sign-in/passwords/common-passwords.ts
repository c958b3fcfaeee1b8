// Whether a password is one that everybody tries first: some fifty thousand, loaded when the first one is looked up.

let common: Promise<ReadonlySet<string>> | null = null;

export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set((dictionary['passwords-common'] as readonly string[]).map(plain)),
  );
  return (await common).has(plain(password));
}

/** What is added to make a common one pass is as common. */
function plain(password: string): string {
  return password.normalize('NFKC').toLowerCase();
}
