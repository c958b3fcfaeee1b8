// What posting a message takes: the state of the bot, Slack, and the content server as the reader sees it.
import type { Logger } from 'pino';
import type { ContentClients } from '../link/content-clients.ts';
import type { Store } from '../store/store.ts';
import type { Languages } from '../texts/languages.ts';
import type { SlackPort } from './transport/slack-port.ts';

export interface DeliveryParts {
  readonly store: Store;
  readonly slack: SlackPort;
  readonly clients: ContentClients;
  readonly languages: Languages;
  readonly log: Logger;
}
