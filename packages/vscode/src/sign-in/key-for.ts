// The key of a server, which the user is asked for if there is none.
import type { Keys } from './keys.ts';
import type { SignIn, SignInOptions } from './sign-in.ts';

/** Undefined if cancelled. */
export async function keyFor(
  { keys, signIn }: { readonly keys: Pick<Keys, 'get'>; readonly signIn: Pick<SignIn, 'key'> },
  server: string,
  options?: SignInOptions & { readonly why?: string },
): Promise<string | undefined> {
  const key = await keys.get(server);
  if (key !== undefined) return key;
  return (await signIn.key(server, options)) === true ? keys.get(server) : undefined;
}
