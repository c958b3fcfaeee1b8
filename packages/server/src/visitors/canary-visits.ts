// Visits to content with a canary: each goes to one of the two bundles, and its outcome is counted.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bundleCookie, chooseSide, type Choice } from '../canaries/choose-side.ts';
import type { CanaryCounter } from '../canaries/counter.ts';
import type { Clock } from '../platform/clock.ts';
import { ClosedForStarts } from '../runtime/unavailable.ts';
import { canaryVersion } from './application-visits.ts';
import type { ContentPlaces } from './content-places.ts';
import type { Located } from './locate-content.ts';
import { SCRIPT_ERROR_PATH } from './proxy/application-proxy.ts';
import type { Served, ServedCanary, ServedContents } from './served-contents.ts';
import { hasPages, isPageVisit } from './starting-page.ts';

/** The chosen side, and its name for other servers. */
interface Shown {
  readonly shown: Served;
  readonly version: string | null;
}

export interface CanaryVisits {
  /** Answers an admitted visitor from the chosen side, and counts the result. Only for content with a canary. */
  respond(
    request: IncomingMessage,
    response: ServerResponse,
    found: Served,
    place: Located,
    show: (shown: Served, version: string | null) => Promise<void>,
  ): Promise<void>;
  /** The side of a WebSocket; null without a canary. */
  ofSocket(request: IncomingMessage, found: Served): Shown | null;
}

interface Parts {
  readonly contents: Pick<ServedContents, 'canaryOf'>;
  readonly places: Pick<ContentPlaces, 'here'>;
  readonly counter: CanaryCounter;
  readonly clock: Clock;
  /** Whether a process listens, or may listen on another server. */
  readonly isReady: (shown: Served) => boolean;
}

export function createCanaryVisits({ contents, places, counter, isReady, clock }: Parts): CanaryVisits {
  function choose(
    request: IncomingMessage,
    { engine }: Served,
    canary: ServedCanary,
    isPage: boolean,
  ): Choice {
    if (canary.keptUntil !== null && clock.now() > canary.keptUntil) return { side: 'live', mark: null };
    const about = {
      hasPages: engine !== null && hasPages(engine),
      isPage,
      remembers: engine?.remembersVisitors === true,
    };
    return chooseSide(request, canary, about, Math.random);
  }

  function shownOf(found: Served, canary: ServedCanary, { side }: Choice): Shown {
    if (side === 'live') return { shown: found, version: null };
    return { shown: contents.canaryOf(found, canary), version: canaryVersion(canary) };
  }

  function count(
    request: IncomingMessage,
    response: ServerResponse,
    { id }: ServedCanary,
    { side }: Choice,
    { shown, place, isPage }: { shown: Served; place: Located; isPage: boolean },
  ): { isCounted: boolean } {
    const { engine } = shown;
    const visit = { isCounted: true };
    if (engine?.sessions && request.method === 'POST' && SCRIPT_ERROR_PATH.test(place.rest)) {
      counter.incident(id, side, 'script_errors');
      return visit;
    }
    const [begun, wasReady] = [performance.now(), isReady(shown)];
    const mayShowStart = isPageVisit(request) && engine !== null && hasPages(engine);
    response.once('close', () => {
      const { statusCode: status } = response;
      if (!visit.isCounted) return;
      // Not counted: visitors who left before the response, and the start page.
      if ((!response.writableFinished && status < 500) || (status === 503 && mayShowStart)) return;
      counter.answered(id, side, { status, ms: wasReady ? performance.now() - begun : null, isPage });
    });
    return visit;
  }

  return {
    async respond(request, response, found, place, show) {
      const { canary } = found;
      if (canary === null) return show(found, null);
      const isPage = opensPage(request);
      const choice = choose(request, found, canary, isPage);
      const { shown, version } = shownOf(found, canary, choice);
      const visit =
        canary.share > 0 ? count(request, response, canary, choice, { shown, place, isPage }) : null;
      const url = places.here(request) + place.prefix;
      if (choice.mark !== null) response.appendHeader('Set-Cookie', bundleCookie(choice.mark, url));
      try {
        await show(shown, version);
      } catch (error) {
        if (visit && error instanceof ClosedForStarts) visit.isCounted = false;
        // No session has started.
        if (choice.mark !== null && !response.headersSent) response.removeHeader('Set-Cookie');
        throw error;
      }
    },
    ofSocket(request, found) {
      const { canary } = found;
      return canary && shownOf(found, canary, choose(request, found, canary, false));
    },
  };
}

function opensPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');
}
