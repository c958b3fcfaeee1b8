import { env, Uri } from 'vscode';

/** The address comes from a server: only web pages are opened. */
export function openPage(url: string): void {
  if (/^https?:\/\//i.test(url)) void env.openExternal(Uri.parse(url));
}
