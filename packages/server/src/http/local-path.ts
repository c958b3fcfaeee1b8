// Where to continue after sign-in: only paths of this server are accepted.

/** A path of this server: never another host. */
export function localPath(next: string | null | undefined): string {
  return next && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/';
}
