// Who may open a page of the dashboard or send its forms: only people in a browser, with the token of their session.
import type { IncomingMessage } from 'node:http';
import { ApiError, errors } from '@pressroom/api/contract';
import type { BaseUrl } from '../http/base-url.ts';
import { isCrossOrigin } from '../http/request-forgery.ts';
import type { Authenticator, Caller } from '../sign-in/authenticator.ts';
import type { ContentPlaces } from '../visitors/content-places.ts';

interface Parts {
  readonly authenticator: Authenticator;
  readonly base: BaseUrl;
  readonly places: ContentPlaces;
}

const UNSAFE =
  'This server shares its origin with published content (Server.ContentOrigin = "shared"): its dashboard opens only over https or on localhost';

export function createEntrance({ authenticator, base, places }: Parts) {
  /** Only for a person who navigated to the page in a browser: scripts of published content are refused. */
  async function enter(
    request: IncomingMessage,
    form: URLSearchParams,
    expected: 'document' | 'image' = 'document',
    proof = request.method ?? '',
  ): Promise<Caller> {
    const { headers, method } = request;
    const destination = headers['sec-fetch-dest'];
    if (destination !== undefined && destination !== expected) throw errors.xsrfTokenMismatch();
    const site = headers['sec-fetch-site'];
    if (expected === 'image' && site !== undefined && site !== 'same-origin')
      throw errors.xsrfTokenMismatch();
    // Nothing else distinguishes a person from a script of content here, which could open the page and read it.
    if (places.isShared && destination === undefined) throw errors.xsrfTokenMismatch({ message: UNSAFE });
    if (method !== 'GET' && isCrossOrigin(headers, new URL(base.of(request)).origin))
      throw errors.xsrfTokenMismatch();
    const token = form.get('xsrf');
    const credentials = { ...authenticator.credentialsIn(headers), 'x-rsc-xsrf': token ?? undefined };
    const caller = await authenticator.identify({ ...credentials, authorization: undefined }, proof);
    if (!caller) throw errors.authenticationRequired();
    return caller;
  }

  return {
    enter,
    /** Like `enter`; `isStale` for a form from before the last sign-in, which is not accepted but can be shown again. */
    async enterWithForm(
      request: IncomingMessage,
      form: URLSearchParams,
    ): Promise<{ caller: Caller; isStale: boolean }> {
      try {
        return { caller: await enter(request, form), isStale: false };
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 92 || places.isShared) throw error;
        return { caller: await enter(request, new URLSearchParams(), 'document', 'GET'), isStale: true };
      }
    },
  };
}
