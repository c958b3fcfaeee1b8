// The client of a linked person; without a link, the offer to link.
import type { Client } from '@pressroom/api/client';
import type { Message } from '../blocks/blocks.ts';
import type { Invoker } from '../deliver/transport/reply.ts';
import type { Services } from '../services.ts';
import type { Texts } from '../texts/en.ts';
import { linkNeeded } from './blocks.ts';

/** The person is not linked and gets the offer. */
export class NotLinked extends Error {
  override readonly name = 'NotLinked';
}

const CLICK = '@click';

/** A pressed button that waits for a link, in place of a typed command. */
export function clickLine(action: string, value: string): string {
  return `${CLICK} ${action} ${value}`;
}

export function isClick(line: string): boolean {
  return line.startsWith(`${CLICK} `);
}

export function readClick(line: string): { action: string; value: string } {
  const [, action = '', ...value] = line.split(' ');
  return { action, value: value.join(' ') };
}

/** @throws NotLinked */
export async function clientOf({ clients }: Services, invoker: Invoker): Promise<Client> {
  const linked = await clients.ofLink(invoker.team, invoker.user);
  if (!linked) throw new NotLinked('not linked');
  return linked.client;
}

/** What the offer is about. */
export interface Offer {
  /** Command to run after linking; none by default. */
  readonly line?: string;
  readonly responseUrl: string | null;
  /** Replaces the usual text. */
  readonly why?: string | undefined;
}

export async function offerLink(
  { store }: Services,
  { team, user, channel }: Invoker,
  texts: Texts,
  { line = '', responseUrl, why }: Offer,
): Promise<Message> {
  const response_url = responseUrl ?? '';
  const pending = await store.addPending({ team, slack_user: user, channel, line, response_url });
  return linkNeeded(pending, texts, why);
}
