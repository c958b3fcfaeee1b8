// Decides from the figures whether a canary is worse than the live bundle.
import type { Reason } from '../events/store.ts';
import { quantile, type Figures } from './figures.ts';
import type { CanaryRow } from './store.ts';

export type Limits = Pick<CanaryRow, 'error_limit' | 'slow_limit'>;

/** Minimum requests before failures count. */
const MIN_REQUESTS = 20;
const MIN_ERRORS = 3;
/** Minimum requests on each side before times are compared. */
const MIN_TIMES = 50;
/** Minimum crashes and failed starts. */
const MIN_EXITS = 2;
/** Minimum failed health checks. */
const MIN_HEALTH_CHECKS = 3;
/** Milliseconds: smaller slowdowns go unnoticed. */
const NOTICED_MS = 100;
/** One-sided quantile of the normal distribution: a harmless canary is rolled back in one case of a hundred. */
const Z = 2.33;

/** Why it must be rolled back; null if there is no reason. */
export function findRegression(limits: Limits, live: Figures, canary: Figures): Reason | null {
  return (
    failing(limits, live, canary) ??
    ending(live, canary) ??
    unhealthy(canary) ??
    failingScripts(limits, live, canary) ??
    slow(limits, live, canary)
  );
}

function failing({ error_limit }: Limits, live: Figures, canary: Figures): Reason | null {
  const [old, own] = [
    { count: live.errors, of: live.requests },
    { count: canary.errors, of: canary.requests },
  ];
  if (!isWorse(old, own, error_limit)) return null;
  return {
    code: 'requests_failed',
    text: `${percent(own)} of its requests failed (${own.count} of ${own.of}), against ${percent(old)} of the live bundle (${old.count} of ${old.of})`,
  };
}

function failingScripts({ error_limit }: Limits, live: Figures, canary: Figures): Reason | null {
  const [old, own] = [
    { count: live.script_errors, of: live.pages },
    { count: canary.script_errors, of: canary.pages },
  ];
  if (!isWorse(old, own, error_limit)) return null;
  return {
    code: 'scripts_failed',
    text: `scripts failed on ${percent(own)} of its pages (${own.count} of ${own.of}), against ${percent(old)} of the live bundle (${old.count} of ${old.of})`,
  };
}

function ending(live: Figures, canary: Figures): Reason | null {
  const [old, own] = [live.crashes + live.failed_starts, canary.crashes + canary.failed_starts];
  if (own < MIN_EXITS || own <= old) return null;
  return {
    code: 'processes_ended',
    text: `${own} of its processes crashed or did not start, against ${old} of the live bundle`,
  };
}

function unhealthy({ health_checks, health_failures }: Figures): Reason | null {
  if (health_failures < MIN_HEALTH_CHECKS || health_failures * 2 <= health_checks) return null;
  return {
    code: 'unhealthy',
    text: `its health path failed ${health_failures} of ${health_checks} times`,
  };
}

function slow({ slow_limit }: Limits, live: Figures, canary: Figures): Reason | null {
  if (slow_limit === 0 || Math.min(live.requests, canary.requests) < MIN_TIMES) return null;
  const [old, own] = [quantile(live, 0.9) ?? 0, quantile(canary, 0.9) ?? 0];
  if (own <= old * (1 + slow_limit / 100) || own <= old + NOTICED_MS) return null;
  return {
    code: 'slow',
    text: `nine of ten of its requests took up to ${own} ms, against ${old} ms of the live bundle`,
  };
}

interface Part {
  readonly count: number;
  readonly of: number;
}

/** Whether the canary fails more often than the live bundle, beyond what the limits and chance allow. */
function isWorse(live: Part, canary: Part, allowed: number): boolean {
  if (canary.of < MIN_REQUESTS || canary.count < MIN_ERRORS) return false;
  const before = live.of === 0 ? 0 : live.count / live.of;
  return atLeast(canary) > before + allowed / 100;
}

/** The lower bound of the Wilson interval. */
function atLeast({ count, of }: Part): number {
  const rate = Math.min(1, count / of);
  const z2 = Z * Z;
  const centre = rate + z2 / (2 * of);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / of + z2 / (4 * of * of));
  return (centre - spread) / (1 + z2 / of);
}

function percent({ count, of }: Part): string {
  return `${of === 0 ? 0 : Number(((100 * count) / of).toFixed(1))} %`;
}
