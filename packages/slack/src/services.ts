// Services for commands, clicks and watchers; assembled once, in main/start-bot.ts.
import type { Alerts } from './deliver/alerts/alerts.ts';
import type { DeliveryParts } from './deliver/delivery-parts.ts';
import type { Announcer } from './deliver/deploys/announcer.ts';

export interface Services extends DeliveryParts {
  readonly announcer: Announcer;
  readonly alerts: Alerts;
  readonly now: () => number;
  /** The slash command, such as `/pressroom`. */
  readonly command: string;
  /** Commands for people who are not linked, with the guest key. */
  readonly unlinked: readonly string[];
}
