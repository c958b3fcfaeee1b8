// Where to go after signing in: what a visitor asks for is taken only as a place on this server.

/** A path of this server, whatever was asked for: never another host. */
export function localPath(next: string | null | undefined): string {
  return next && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/';
}
