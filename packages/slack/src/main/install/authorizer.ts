// What the bot needs to know about the workspaces that it may write to.
import type { Authorize } from '@slack/bolt';

export interface Authorizer {
  readonly authorize: Authorize<boolean>;
  tokenOf(team: string): Promise<string>;
  /** The workspace of the configured token. */
  onlyTeam(): Promise<string>;
  /** When a workspace or organization last installed the app, in milliseconds; 0 if unknown. */
  installedTime(id: string): Promise<number>;
  /** Options of the HTTP receiver for installations. */
  readonly installer: object;
}
