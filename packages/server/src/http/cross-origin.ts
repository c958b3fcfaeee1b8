// Pages of other origins that may call the API, such as editors in a browser: with a key, never with a session.
import cors, { type FastifyCorsOptions, type OriginFunction } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listOf } from '../main/config/setting-kinds.ts';
import { API_PREFIX } from './paths.ts';

/** Headers that such pages may read. */
const EXPOSED = ['Content-Disposition', 'Link', 'Retry-After', 'X-Content-Checksum', 'X-Deprecated-Endpoint'];
/** Seconds that a browser caches the preflight. */
const MAX_AGE = 600;

/** @param allowed `HTTP.AllowedOrigins`; empty for none */
export function allowOrigins(app: FastifyInstance, allowed: string): void {
  if (allowed === '') return;
  const patterns = listOf(allowed);
  const origin: OriginFunction = (from = '', done) =>
    done(
      null,
      patterns.some((pattern) => isMeant(pattern, from)),
    );
  const ofApi: FastifyCorsOptions = {
    origin,
    // Cookies are never accepted: no page of another origin acts for a signed-in person.
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE,
  };
  app.register(cors, {
    delegator: (request: FastifyRequest, done) =>
      done(null, request.url.startsWith(`${API_PREFIX}/`) ? ofApi : { origin: false }),
  });
}

/** `https://*.example.com` matches names with one label in place of the star. */
function isMeant(pattern: string, origin: string): boolean {
  const [start, end] = pattern.split('*');
  if (end === undefined) return origin === pattern;
  const label = origin.slice(start!.length, origin.length - end.length);
  return /^[a-z0-9-]+$/.test(label) && origin === `${start}${label}${end}`;
}
