// What Slack checks in calls of its Web API, and what it refuses.
import { violations } from '../limits.ts';
import type { DoubleMessage, Loose, Workspace } from '../workspace.ts';

export type Method = (args: Loose) => Loose;

/** Becomes `{ ok: false, error }`. */
export class Refusal extends Error {
  readonly details: Loose;
  constructor(word: string, details: Loose = {}) {
    super(word);
    this.details = details;
  }
}

export type Methods = Record<string, Method>;

const TRIGGER_LIFE = 3000;

/** Simulated failures that concern checks. */
export interface CheckFaults {
  readonly charts: boolean;
  readonly plans: boolean;
  outside: boolean;
  readonly closed: ReadonlySet<string>;
  readonly archived: ReadonlySet<string>;
}

export type Checks = ReturnType<typeof createChecks>;

export function createChecks(space: Workspace, faults: CheckFaults) {
  const channelOf = (args: Loose): string => {
    const id = String(args['channel'] ?? args['channel_id'] ?? '');
    if (!space.channels.has(id) || faults.closed.has(id)) throw new Refusal('channel_not_found');
    return id;
  };
  const writable = (args: Loose): string => {
    const id = channelOf(args);
    if (faults.archived.has(id)) throw new Refusal('is_archived');
    return id;
  };
  const readable = (args: Loose): string => {
    if (faults.outside) throw new Refusal('not_in_channel');
    return channelOf(args);
  };
  const blocksOf = (args: Loose, surface: 'message' | 'modal' | 'home' = 'message'): Loose[] => {
    const blocks = (args['blocks'] ?? []) as Loose[];
    const text = args['text'] as string | undefined;
    const wrong = violations({ ...args, ...(text !== undefined && { text }), blocks }, surface);
    const chart = !faults.charts && blocks.some((block) => block['type'] === 'data_visualization');
    const plan = !faults.plans && blocks.some((block) => block['type'] === 'plan');
    if (wrong.length > 0 || chart || plan) {
      throw new Refusal('invalid_blocks', {
        response_metadata: { messages: chart || plan ? ['unsupported type'] : wrong },
      });
    }
    return blocks;
  };
  const find = (channel: string, ts: unknown): DoubleMessage => {
    const message = space.messages.find((item) => item.channel === channel && item.ts === ts && !item.only);
    if (!message) throw new Refusal('message_not_found');
    return message;
  };
  const trigger = (args: Loose): string => {
    const id = String(args['trigger_id'] ?? '');
    const known = space.triggers.get(id);
    if (!known) throw new Refusal('invalid_trigger_id');
    space.triggers.delete(id);
    if (Date.now() - known.time > TRIGGER_LIFE) throw new Refusal('expired_trigger_id');
    return known.user;
  };

  return { channelOf, writable, readable, blocksOf, find, trigger };
}

/** A message as Slack returns it. */
export const shown = ({
  channel: _channel,
  only: _only,
  responseUrl: _url,
  edited: _edited,
  broadcast: _b,
  ...rest
}: DoubleMessage) => ({
  type: 'message',
  ...rest,
});
