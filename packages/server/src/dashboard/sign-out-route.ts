// The page after signing out, which may lead on to the identity provider.
import type { FastifyReply } from 'fastify';
import { clearedCookies } from '../http/cookie-names.ts';
import { escapeHtml, sendHtml } from '../http/pages.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import type { DashboardParts } from './page.ts';

/** @param root path of the dashboard as the browser sees it */
export async function sendSignedOut(
  reply: FastifyReply,
  provider: DashboardParts['provider'],
  base: string,
  root: string,
): Promise<void> {
  const { signIn } = provider;
  const elsewhere = signIn.by === 'header' ? signIn.signOutUrl : '';
  const atProvider = signIn.by === 'redirect' ? stillSignedIn((await signIn.signOutPage?.()) ?? null) : '';
  const signInAgain = `${root.slice(0, -DASHBOARD_PREFIX.length)}/__login__`;
  reply.hijack();
  reply.raw.setHeader('Set-Cookie', clearedCookies(base));
  // Otherwise Back shows what the browser has kept of content. Other storage may belong to other programs.
  reply.raw.setHeader('Clear-Site-Data', '"cache"');
  // Not a redirect: the browser may refuse to follow it to another origin.
  if (elsewhere !== '') reply.raw.setHeader('Refresh', `0; url=${elsewhere}`);
  sendHtml(
    reply.raw,
    200,
    'Signed out',
    `<h1>Signed out</h1>${atProvider}<p><a href="${escapeHtml(signInAgain)}">Sign in again</a></p>`,
  );
}

/** @param page of the provider, if it is known: otherwise people go there themselves */
function stillSignedIn(page: string | null): string {
  const too = 'sign out there, too';
  const link = page === null ? too : `<a href="${escapeHtml(page)}">${too}</a>`;
  return `<p>You may still be signed in at the identity provider: ${link}.</p>`;
}
