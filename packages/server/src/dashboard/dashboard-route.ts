// Mounts the dashboard, with headers that isolate it from other pages.
import { ApiError, errors } from '@pressroom/api/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { sendAuditExport } from '../audit/export-route.ts';
import type { BaseUrl } from '../http/base-url.ts';
import { NOTE_COOKIE, SESSION_COOKIE, XSRF_COOKIE } from '../http/cookie-names.ts';
import { toApiError } from '../http/error-handler.ts';
import { sendArchive, sendTar, whenGone, type OperationTable } from '../http/mount.ts';
import { escapeHtml, sendHtml } from '../http/pages.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import { readCookie } from '../http/read-cookie.ts';
import { readForm } from '../http/read-form.ts';
import type { ArchiveResponse, FileResponse } from '../http/request.ts';
import { failureOf } from '../platform/database/unreachable.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { signOut } from '../sign-in/sessions.ts';
import { visitOf } from '../sign-in/visit-of.ts';
import type { ContentPlaces } from '../visitors/content-places.ts';
import { ASSETS } from './assets.ts';
import { sendBackup } from './backup-route.ts';
import { callAs } from './call-operations.ts';
import { mountDescribe } from './describe-route.ts';
import { createEntrance } from './entrance.ts';
import { keptForm, TYPED } from './kept-form.ts';
import { layout } from './layout.ts';
import { noteCookie, readNote } from './note-cookie.ts';
import { pathOfPane } from './older-panes.ts';
import type { DashboardParts, Page, PageRequest, PathParams, Redirect } from './page.ts';
import { isSecret } from './parts.ts';
import { refusalOf, type Refusal } from './refusal.ts';
import { refusedPage } from './refused-page.ts';
import { FORMS, PAGES } from './routes.ts';
import { sendSignedOut } from './sign-out-route.ts';

const PREFIX = DASHBOARD_PREFIX;
/** Nothing from elsewhere, nothing inline, no frames; a page that opens this one has no access to it. */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; " +
    "frame-ancestors 'none'; base-uri 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
};

const STALE =
  'You signed in again after this page was opened. Nothing was changed: check the page and send it again.';
/** Secrets are not shown again: sent as it is, the form could change them to nothing. */
const TYPE_AGAIN =
  'You signed in again after this page was opened. Nothing was changed: type this again, check the page and send it.';
const EXPIRED = 'Your session had ended before the form was sent. Nothing was changed: fill it in again.';
/** Going back would lose what was typed. */
const SEND_AGAIN = 'Reload this page to send the form again.';
/** Seconds to sign in. */
const SIGN_IN_TIME = 600;

function staleForm(form: URLSearchParams): ApiError {
  const field = [...form.keys()].find(isSecret);
  if (field === undefined) return errors.xsrfTokenMismatch({ message: STALE });
  return errors.xsrfTokenMismatch({ message: TYPE_AGAIN, field });
}

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function mountDashboard(
  app: FastifyInstance,
  parts: DashboardParts & { readonly log: Logger },
  table: OperationTable,
  base: BaseUrl,
  places: ContentPlaces,
): void {
  const { enter, enterWithForm } = createEntrance({ authenticator: parts.authenticator, base, places });
  const rootOf = (request: FastifyRequest) =>
    new URL(base.of(request.raw)).pathname.replace(/\/$/, '') + PREFIX;

  const paramsOf = (request: FastifyRequest) => request.params as PathParams;
  const noteOf = ({ headers: { cookie } }: FastifyRequest) => {
    const value = readCookie(cookie, NOTE_COOKIE);
    return value === null ? null : readNote(value);
  };
  /** Below the dashboard. */
  const pathOf = ({ originalUrl }: FastifyRequest) => originalUrl.slice(PREFIX.length).replace(/\?.*/, '');
  /** A path of a request. */
  const filled = (path: string, request: FastifyRequest) =>
    path.replace(/:(\w+)/g, (_, name: keyof PathParams) => encodeURIComponent(paramsOf(request)[name]));
  /** @param next path of the dashboard */
  const signInAddress = (request: FastifyRequest, next: string) =>
    `${rootOf(request).slice(0, -PREFIX.length)}/__login__?next=${encodeURIComponent(PREFIX + next)}`;

  function requestOf(
    request: FastifyRequest,
    caller: Caller,
    form: URLSearchParams,
    refusal: Refusal | null,
  ): PageRequest {
    const query = new URLSearchParams(request.originalUrl.split('?')[1] ?? '');
    return {
      parts,
      caller,
      call: callAs(table, base, caller, request),
      params: paramsOf(request),
      query,
      form,
      sentTo: request.method === 'POST' ? pathOf(request) : (noteOf(request)?.sentTo ?? ''),
      refusal,
      root: rootOf(request),
      base: base.of(request.raw),
      ports: places.portsOf(request.raw),
      visit: visitOf(parts, request.headers, base.visitor(request.raw)),
    };
  }

  function send(
    reply: FastifyReply,
    request: FastifyRequest,
    page: Page,
    pageRequest: PageRequest,
    status = 200,
  ) {
    const note = noteOf(request)?.note ?? null;
    const xsrf = readCookie(request.headers.cookie, XSRF_COOKIE) ?? '';
    if (note !== null) reply.header('Set-Cookie', noteCookie(base.of(request.raw), '', 0));
    const text = layout(pageRequest, page, note, xsrf);
    return reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(text);
  }

  function follow(reply: FastifyReply, request: FastifyRequest, { to, note }: Redirect): FastifyReply {
    if (note !== undefined)
      reply.header('Set-Cookie', noteCookie(base.of(request.raw), note, 60, pathOf(request)));
    return reply.headers(HEADERS).redirect(rootOf(request) + to, 303);
  }

  /**
   * Leads people who are not signed in to the sign-in page; tells others what is wrong.
   * @param page that has the form, to return to
   */
  function refuse(reply: FastifyReply, request: FastifyRequest, error: unknown, page = '/'): FastifyReply {
    const apiError = toApiError(error);
    if (apiError.code === 1) failureOf('dashboard', parts.log)(error);
    const root = rootOf(request);
    if (apiError.code === 24) {
      const isForm = request.method !== 'GET';
      if (isForm) reply.header('Set-Cookie', noteCookie(base.of(request.raw), EXPIRED, SIGN_IN_TIME));
      const next = isForm ? page : request.originalUrl.slice(PREFIX.length);
      return reply.redirect(signInAddress(request, next), 303);
    }
    reply.hijack();
    const isUnsent = request.method !== 'GET' && apiError.status === 503;
    const said = refusedPage(apiError, request.originalUrl.slice(PREFIX.length));
    const text = isUnsent ? `${said.text.replace(/\.?$/, '.')} ${SEND_AGAIN}` : said.text;
    const title = 'This page cannot be shown';
    const links = [...(said.next ? [said.next] : []), ['/', 'Go to the dashboard'] as const]
      .map(([to, label]) => `<p><a href="${escapeHtml(root + to)}">${escapeHtml(label)}</a></p>`)
      .join('');
    sendHtml(reply.raw, apiError.status, title, `<h1>${title}</h1><p>${escapeHtml(text)}</p>${links}`);
    return reply;
  }

  /** @param path of the form. @param page that has it */
  function keep(
    reply: FastifyReply,
    request: FastifyRequest,
    form: URLSearchParams,
    path: string,
    page: string,
  ): FastifyReply {
    const query = /\?.*/.exec(request.originalUrl)?.[0] ?? '';
    const body = keptForm(rootOf(request) + path + query, signInAddress(request, page), form);
    reply.hijack();
    sendHtml(reply.raw, 401, 'You are signed out', body);
    return reply;
  }

  /** A handler whose errors become pages. @param pageOf page that has the form, to return to */
  const guarded =
    (handle: RouteHandler, pageOf?: (request: FastifyRequest) => string) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      try {
        return await handle(request, reply);
      } catch (error) {
        return refuse(reply, request, error, pageOf?.(request));
      }
    };

  const enterPage = (request: FastifyRequest) => enter(request.raw, new URLSearchParams());

  for (const [path, render] of PAGES) {
    app.get(
      PREFIX + path,
      guarded(async (request, reply) => {
        const caller = await enterPage(request);
        const pageRequest = requestOf(request, caller, new URLSearchParams(), null);
        return send(reply, request, await render(pageRequest), pageRequest);
      }),
    );
  }

  for (const [path, act, refused] of FORMS) {
    const [page = '/'] = PAGES.find(([, render]) => render === refused) ?? [];
    const pageOf = (request: FastifyRequest) => filled(page, request);
    // The address of a refused form, opened again.
    if (!PAGES.some(([one]) => one === path))
      app.get(PREFIX + path, (request, reply) => reply.redirect(rootOf(request) + pageOf(request), 303));
    const take = async (request: FastifyRequest, reply: FastifyReply, form: URLSearchParams) => {
      const { caller, isStale } = await enterWithForm(request.raw, form);
      const pageRequest = requestOf(request, caller, form, null);
      try {
        if (isStale) throw staleForm(form);
        const response = await act(pageRequest);
        if ('to' in response) return follow(reply, request, response);
        return send(reply, request, response, pageRequest);
      } catch (thrown) {
        const error = toApiError(thrown);
        // Pages can be shown while the disk is full, but not once the session has ended.
        if ((error.code === 1 && error.status !== 503) || error.code === 24) throw thrown;
        // Shows the form again with everything that was entered.
        const again = requestOf(request, caller, form, refusalOf(error, form));
        return send(reply, request, await refused(again), again, error.status);
      }
    };
    const submit: RouteHandler = async (request, reply) => {
      const form = await readForm(request.raw);
      try {
        return await take(request, reply, form);
      } catch (error) {
        // Content with the origin of the dashboard could send such a form, too.
        if (!form.has(TYPED) || places.isShared || toApiError(error).code !== 24) throw error;
        return keep(reply, request, form, filled(path, request), pageOf(request));
      }
    };
    app.post(PREFIX + path, guarded(submit, pageOf));
  }

  app.get(`${PREFIX}/content/:guid/:pane`, (request, reply) => {
    const { guid, pane } = request.params as Record<'guid' | 'pane', string>;
    return reply.redirect(rootOf(request) + pathOfPane(guid, pane), 303);
  });

  // rsconnect-python prints it for a draft.
  app.get(`${PREFIX}/content/:guid/draft/:id`, (request, reply) => {
    const { guid, id } = paramsOf(request);
    const page = `/content/${encodeURIComponent(guid)}/bundles/${encodeURIComponent(id)}`;
    return reply.redirect(rootOf(request) + page, 303);
  });

  app.get(
    `${PREFIX}/content/:guid/bundles/:id/download`,
    guarded(async (request, reply) => {
      const call = callAs(table, base, await enterPage(request), request);
      const archive = await call('downloadBundleGa', { params: paramsOf(request) });
      return sendArchive(reply, archive as unknown as ArchiveResponse);
    }),
  );

  app.post(
    `${PREFIX}/backup/download`,
    guarded(async (request, reply) => {
      const form = await readForm(request.raw);
      const caller = await enter(request.raw, form);
      const backup = await sendBackup(requestOf(request, caller, form, null), whenGone(reply));
      return sendTar(reply.headers(HEADERS), backup);
    }),
  );

  app.get(
    `${PREFIX}/content/:guid/thumbnail`,
    guarded(async (request, reply) => {
      const caller = await enter(request.raw, new URLSearchParams(), 'image');
      const call = callAs(table, base, caller, request);
      const image = await call('getContentThumbnail', { params: paramsOf(request) });
      const { bytes, type } = image as unknown as FileResponse;
      return reply
        .headers({ ...HEADERS, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'private, max-age=60' })
        .type(type)
        .send(bytes);
    }),
  );

  app.get(
    `${PREFIX}/content/:guid/logs/:key/download`,
    guarded(async (request, reply) => {
      const params = paramsOf(request);
      const call = callAs(table, base, await enterPage(request), request);
      const { entries } = await call('getContentJobLog', { params });
      const text = entries.map(({ timestamp, data }) => `${timestamp}  ${data}\n`).join('');
      return reply
        .headers({ ...HEADERS, 'Content-Disposition': `attachment; filename="${params.key}.log"` })
        .type('text/plain; charset=utf-8')
        .send(text);
    }),
  );

  app.get(
    `${PREFIX}/audit/export`,
    guarded((request, reply) => {
      const query = new URL(request.originalUrl, 'http://localhost').searchParams;
      const reader = { identify: () => enterPage(request), visitor: base.visitor(request.raw) };
      return sendAuditExport(parts, reader, query, reply);
    }),
  );

  app.post(`${PREFIX}/sign-out`, async (request, reply) => {
    try {
      await enterWithForm(request.raw, await readForm(request.raw));
      const token = readCookie(request.headers.cookie, SESSION_COOKIE);
      if (token) await signOut(parts, token);
    } catch (error) {
      // An ended session must not lead to the sign-in, which a provider may complete by itself.
      if (!(error instanceof ApiError) || error.code !== 24) return refuse(reply, request, error);
    }
    await sendSignedOut(reply, parts.provider, base.of(request.raw), rootOf(request));
    return reply;
  });

  mountDescribe(app, parts, base);
  for (const [name, type, text] of ASSETS) {
    app.get(`${PREFIX}/assets/${name}`, (_request, reply) =>
      reply.type(type).header('Cache-Control', 'no-cache').send(text),
    );
  }
}
