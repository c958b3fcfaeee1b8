// Pages of other origins that may call the API: editors in a browser, and programs there. With a key, never with a session.
import cors, { type FastifyCorsOptions, type OriginFunction } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listOf } from '../main/config/setting-kinds.ts';
import { API_PREFIX } from './mount.ts';

/** What a page may read beside the body. */
const EXPOSED = ['Content-Disposition', 'Link', 'Retry-After', 'X-Content-Checksum', 'X-Deprecated-Endpoint'];
/** Seconds that a browser need not ask again. */
const MAX_AGE = 600;

/** @param allowed `HTTP.AllowedOrigins`; empty: none */
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
    // Cookies are never let through: no page of another origin acts for who is signed in.
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

/** `https://*.example.com` is every name with one label in the place of the star. */
function isMeant(pattern: string, origin: string): boolean {
  const [start, end] = pattern.split('*');
  if (end === undefined) return origin === pattern;
  const label = origin.slice(start!.length, origin.length - end.length);
  return /^[a-z0-9-]+$/.test(label) && origin === `${start}${label}${end}`;
}
