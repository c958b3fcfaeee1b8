// The layout of every page: navigation, notes, style and script.
import { ICON, LOGO } from '../http/pages.ts';
import { ROLE_RANK } from '../people/roles.ts';
import { html, trusted, type Html } from './html.ts';
import { TYPED } from './kept-form.ts';
import type { Page, PageRequest } from './page.ts';
import { bytes } from './parts.ts';

const SECTIONS = [
  ['content', '/', 'Content', 'viewer'],
  ['publish', '/publish', 'Publish', 'publisher'],
  ['requests', '/requests', 'Requests', 'publisher'],
  ['keys', '/keys', 'API keys', 'viewer'],
  ['account', '/account', 'Account', 'viewer'],
  ['users', '/users', 'People', 'administrator'],
  ['groups', '/groups', 'Groups', 'publisher'],
  ['audit', '/audit', 'Audit log', 'administrator'],
  ['server', '/server', 'Server', 'administrator'],
] as const;

/** Screen readers announce a status or alert only when it changes, or has the focus. */
const FOCUSED = trusted('tabindex="-1" autofocus');

/** @param note shown once, above the page. @param xsrf for the script of the page. */
export function layout(request: PageRequest, page: Page, note: string | null, xsrf: string): string {
  const { caller, root, refusal } = request;
  const error = refusal?.isSaid ? null : (refusal?.message ?? null);
  const shown = SECTIONS.filter(([, , , role]) => ROLE_RANK[caller.role] >= ROLE_RANK[role]);
  const links = shown.map(
    ([key, path, label]) =>
      html`<li>
        <a href="${root}${path}" ${key === page.section && html`aria-current="page"`}>${label}</a>
      </li>`,
  );
  const who = html`<p class="who">
    ${caller.full_name || caller.username} <span class="quiet">${caller.role}</span>
  </p>`;
  const signOut = html`<form method="post" action="${root}/sign-out" class="inline">
    <button>Sign out</button>
  </form>`;
  const body = html`<a class="skip" href="#main">Skip to main content</a>
    <header>
      <a class="brand" href="${root}/">${trusted(LOGO)}Pressroom</a>
      <nav aria-label="Main">
        <ul>
          ${links}
        </ul>
      </nav>
      <div class="account">${who}${signOut}</div>
    </header>
    <main id="main" tabindex="-1">
      <h1>${page.title}</h1>
      ${diskWarningFor(request)} ${warningFor(request, page)}
      ${note !== null && html`<p class="note" role="status" ${FOCUSED}>${note}</p>`}
      ${error !== null && html`<p class="error" role="alert" ${FOCUSED}>${error}</p>`} ${page.body}
    </main>`;
  return document(root, page, withToken(body, xsrf), xsrf);
}

/** Tells administrators on every page that the disk is full and nothing can be published. */
function diskWarningFor({ caller, parts }: PageRequest): Html | false {
  const { isLow, room } = parts.disk;
  if (!isLow || room === null || caller.role !== 'administrator') return false;
  return html`<p class="error">
    The disk is almost full: ${bytes(room.free)} are free. Uploads and deploys are refused below
    ${bytes(room.reserve)} (Applications.DiskReserve).
  </p>`;
}

/** Tells administrators on every page that something is not protected as it should be. */
function warningFor({ caller, parts, root }: PageRequest, page: Page): Html | false {
  const lacking = [...parts.isolation.report, ...parts.origins].some((item) => !item.protected);
  if (!lacking || caller.role !== 'administrator' || page.section === 'server') return false;
  return html`<p class="error">
    Some protections are missing on this server.
    <a href="${root}/server#section-isolation">See which, and how to add them</a>
  </p>`;
}

/** Each of these has an id; what a button sends along has none. */
const HAS_FIELDS = /<(?:input|select|textarea)\s+id=/;

/**
 * Adds the session's token to every form that posts; search forms have none, since it would be in the address. Values
 * are escaped, so the body has no other `<form>`.
 */
function withToken(body: Html, xsrf: string): Html {
  const token = html`<input type="hidden" name="xsrf" value="${xsrf}" />`.toString();
  const typed = html`<input type="hidden" name="${TYPED}" />`.toString();
  const forms = /(<form method="post"(?:(?!<\/form>)[^])*)(<\/form>)/g;
  return trusted(
    body
      .toString()
      .replace(
        forms,
        (_, form: string, end: string) => form + (HAS_FIELDS.test(form) ? typed : '') + token + end,
      ),
  );
}

function document(
  root: string,
  { title, windowTitle = title, refresh, goesOn, passkeys, publishes }: Page,
  body: Html,
  xsrf: string,
): string {
  const again =
    refresh !== undefined && html`<noscript><meta http-equiv="refresh" content="${refresh}" /></noscript>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${windowTitle} · Pressroom</title>
        <meta name="xsrf" content="${xsrf}" />
        ${again} ${goesOn !== undefined && html`<meta http-equiv="refresh" content="0; url=${goesOn}" />`}
        <link rel="icon" href="${ICON}" />
        <link rel="stylesheet" href="${root}/assets/dashboard.css" />
        <script src="${root}/assets/dashboard.js" defer></script>
        ${publishes && html`<script src="${root}/assets/publish.js" defer></script>`}
        ${passkeys && html`<script src="${root}/assets/passkey.js" defer></script>`}
      </head>
      <body>
        ${body}
      </body>
    </html>`.toString();
}
