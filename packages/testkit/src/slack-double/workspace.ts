// The state of a Slack workspace: people, channels, messages, views, files, and listeners.
import { EventEmitter } from 'node:events';

export type Loose = Record<string, unknown>;

export interface DoubleMessage {
  ts: string;
  channel: string;
  /** The bot's user, or the person who typed. */
  user: string;
  text: string;
  blocks: Loose[];
  thread_ts?: string;
  broadcast?: boolean;
  metadata?: Loose;
  files?: { id: string; name: string; title: string }[];
  /** Visible to this person only. */
  only?: string;
  /** Identifies it in clicks, instead of the timestamp. */
  responseUrl?: string;
  edited: number;
}

export interface DoubleUser {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Their workspace, if it is another that shares the channels (Slack Connect). */
  team?: string;
  /** Time zone. */
  tz?: string;
  /** Such as `de-DE`. */
  locale?: string;
}

export interface DoubleFile {
  readonly id: string;
  readonly name: string;
  bytes: Buffer;
  channel: string | null;
  thread: string | null;
}

export interface DoubleView {
  readonly id: string;
  readonly user: string;
  view: Loose;
}

export interface Call {
  readonly method: string;
  readonly time: number;
  readonly args: Loose;
  /** `ok`, or Slack's error code. */
  result: string;
}

export interface Workspace {
  readonly team: string;
  readonly bot: string;
  readonly users: Map<string, DoubleUser>;
  /** Names by id. */
  readonly channels: Map<string, string>;
  readonly messages: DoubleMessage[];
  readonly files: Map<string, DoubleFile>;
  readonly modals: DoubleView[];
  readonly homes: Map<string, Loose>;
  readonly unfurls: Loose[];
  /** Completed workflow steps. */
  readonly steps: Loose[];
  readonly calls: Call[];
  /** Trigger ids with their time. */
  readonly triggers: Map<string, { user: string; time: number }>;
  nextId(prefix: string): string;
  nextTs(): string;
  changed(): void;
  onChange(listener: () => void): () => void;
}

export function createWorkspace(): Workspace {
  const events = new EventEmitter().setMaxListeners(0);
  let ids = 0;
  let lastTs = 0;
  return {
    team: 'T0DOUBLE',
    bot: 'U0BOT',
    users: new Map(),
    channels: new Map(),
    messages: [],
    files: new Map(),
    modals: [],
    homes: new Map(),
    unfurls: [],
    steps: [],
    calls: [],
    triggers: new Map(),
    nextId(prefix) {
      ids += 1;
      return `${prefix}${String(ids).padStart(6, '0')}`;
    },
    nextTs() {
      lastTs = Math.max(lastTs + 1, Date.now() * 1000);
      return `${Math.floor(lastTs / 1e6)}.${String(lastTs % 1e6).padStart(6, '0')}`;
    },
    changed: () => void events.emit('change'),
    onChange(listener) {
      events.on('change', listener);
      return () => void events.off('change', listener);
    },
  };
}
