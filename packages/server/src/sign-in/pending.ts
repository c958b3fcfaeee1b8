// How many requests of programs may wait for a person: from one network, from one site, and in total.
import { siteOf } from './throttle.ts';

/** Maximum in total. */
const TOTAL = 10_000;
/** Networks' worth of requests from one site. */
const NETWORKS_OF_SITE = 4;

/** Waiting requests, in total, and from the network and site of the one that comes. */
interface Pending {
  readonly all: number;
  readonly near: number;
  readonly around: number;
}

/** Whether another one may wait. @param most from one network */
export function hasRoom({ all, near, around }: Pending, most: number): boolean {
  return near < most && around < NETWORKS_OF_SITE * most && all < TOTAL;
}

/** A pattern of SQL for the networks of a site. @param network of `networkOf` */
export function siteLike(network: string): string {
  const site = siteOf(network);
  return site === network ? network : `${site}:%`;
}
