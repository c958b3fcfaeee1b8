// Services for commands, clicks and watchers; assembled once, in main/start-bot.ts.
import type { Logger } from 'pino';
import type { Alerts } from './deliver/alerts/alerts.ts';
import type { Announcer } from './deliver/deploys/announcer.ts';
import type { SlackPort } from './deliver/transport/slack-port.ts';
import type { ContentClients } from './link/content-clients.ts';
import type { Languages } from './texts/languages.ts';
import type { Store } from './store/store.ts';

export interface Services {
  readonly store: Store;
  readonly slack: SlackPort;
  readonly clients: ContentClients;
  readonly languages: Languages;
  readonly announcer: Announcer;
  readonly alerts: Alerts;
  readonly log: Logger;
  readonly now: () => number;
  /** The slash command, such as `/pressroom`. */
  readonly command: string;
  /** Commands for people who are not linked, with the guest key. */
  readonly unlinked: readonly string[];
}
