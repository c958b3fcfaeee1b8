// All commands of the bot, in the order of help. A new command needs its folder and a row here.
import { approve } from './approve/approve.ts';
import { audit } from './audit/audit.ts';
import { changes } from './changes/changes.ts';
import type { CommandTable } from './command.ts';
import { deploy } from './deploy/deploy.ts';
import { deploys } from './deploys/deploys.ts';
import { help } from './help/help.ts';
import { link } from './link/link.ts';
import { lock } from './lock/lock.ts';
import { logs } from './logs/logs.ts';
import { releases } from './releases/releases.ts';
import { render } from './render/render.ts';
import { requests } from './requests/requests.ts';
import { rollback } from './rollback/rollback.ts';
import { status } from './status/status.ts';
import { subscribe } from './subscribe/subscribe.ts';
import { subscriptions } from './subscriptions/subscriptions.ts';
import { unlink } from './unlink/unlink.ts';
import { unlock } from './unlock/unlock.ts';
import { unsubscribe } from './unsubscribe/unsubscribe.ts';
import { usage } from './usage/usage.ts';
import { user } from './user/user.ts';
import { who } from './who/who.ts';

export const COMMANDS = {
  status,
  deploys,
  deploy,
  rollback,
  render,
  releases,
  approve,
  changes,
  lock,
  unlock,
  logs,
  usage,
  user,
  who,
  requests,
  subscribe,
  unsubscribe,
  subscriptions,
  link,
  unlink,
  audit,
  help,
} as const satisfies CommandTable;

export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);
