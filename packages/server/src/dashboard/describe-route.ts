// Describes dropped files for the script of the publish page.
import { errors } from '@pressroom/api/contract';
import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import type { BaseUrl } from '../http/base-url.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';
import { readText } from '../http/read-text.ts';
import { isCrossOrigin } from '../http/request-forgery.ts';
import type { Installations } from '../runtime/installations.ts';
import type { Authenticator } from '../sign-in/authenticator.ts';
import { describeBundle, parseDropped } from './describe-bundle.ts';

interface Parts {
  readonly authenticator: Authenticator;
  readonly installations: Installations;
}

/** Concurrent requests; each writes the names to a directory of its own. */
const AT_ONCE = 4;

export function mountDescribe(
  app: FastifyInstance,
  { authenticator, installations }: Parts,
  base: BaseUrl,
): void {
  const limit = pLimit(AT_ONCE);
  app.post(`${DASHBOARD_PREFIX}/publish/describe`, async (request) => {
    const { headers, raw } = request;
    if (isCrossOrigin(headers, new URL(base.of(raw)).origin)) throw errors.xsrfTokenMismatch();
    const credentials = { ...authenticator.credentialsIn(headers), authorization: undefined };
    const caller = await authenticator.identify(
      { ...credentials, 'x-rsc-xsrf': headers['x-rsc-xsrf'] },
      'POST',
    );
    if (!caller) throw errors.authenticationRequired();
    if (caller.role === 'viewer') throw errors.operationDenied();
    const dropped = parseDropped(await readText(raw));
    return limit(() => describeBundle(installations, dropped));
  });
}
