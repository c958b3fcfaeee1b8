// Slack's rate limits, as far as they affect the bot: 429 with Retry-After.
import type { Call, Loose } from './workspace.ts';

const MINUTE = 60_000;
/** Calls per minute of the whole app in a workspace. */
const TIERS: Readonly<Record<string, number>> = {
  'chat.update': 50,
  'conversations.history': 50,
  'conversations.replies': 50,
  'users.lookupByEmail': 50,
  'chat.postEphemeral': 100,
  'users.info': 100,
  'views.open': 100,
  'views.publish': 100,
  'files.getUploadURLExternal': 100,
};
/** Messages per channel at once, and per second afterwards. */
const BURST = 10;

/** Seconds to wait; 0 if the call is permitted. */
export function createRates(calls: readonly Call[]): (method: string, args: Loose, now: number) => number {
  const channels = new Map<string, { tokens: number; time: number }>();
  return (method, args, now) => {
    const tier = TIERS[method];
    if (tier !== undefined) {
      const recent = calls.filter(
        (call) => call.method === method && call.result !== 'ratelimited' && now - call.time < MINUTE,
      );
      if (recent.length >= tier) return Math.ceil((recent[0]!.time + MINUTE - now) / 1000) || 1;
    }
    if (method === 'chat.postMessage') {
      const id = String(args['channel']);
      const lane = channels.get(id) ?? { tokens: BURST, time: now };
      lane.tokens = Math.min(BURST, lane.tokens + (now - lane.time) / 1000);
      lane.time = now;
      channels.set(id, lane);
      if (lane.tokens < 1) return 1;
      lane.tokens -= 1;
    }
    return 0;
  };
}
