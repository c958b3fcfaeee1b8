// Channels that are closed to the bot: archived, deleted, or private without it. What is subscribed there ends, and its
// subscribers are told in direct messages how to add it again. Nothing is posted in the channel of the setting until it
// is open again.
import { section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { escape, inline, line } from '../../blocks/text.ts';
import { filterWords } from '../../commands/shared/filter-words.ts';
import { subscribeLine } from '../../commands/subscribe/subscribe-line.ts';
import type { Services } from '../../services.ts';
import type { Store } from '../../store/store.ts';
import type { Subscription } from '../../store/subscriptions.ts';
import type { Texts } from '../../texts/en.ts';
import type { StartedDeploy } from '../deploys/announce-in-channels.ts';
import { DIRECT } from '../transport/direct.ts';
import { slackFailure } from '../transport/slack-failure.ts';
import type { ChannelState, SlackPort } from '../transport/slack-port.ts';

type Parts = Pick<Services, 'store' | 'slack' | 'languages' | 'clients' | 'command' | 'log'> & {
  readonly alerts: Pick<Services['alerts'], 'send'>;
};
type Closing = Exclude<ChannelState, 'open' | 'unknown'>;

/** What Slack returns for posts there. It may be mistaken for a moment. */
const WORDS: ReadonlySet<string> = new Set(['channel_not_found', 'is_archived', 'not_in_channel']);

export const CLOSED =
  'the channel of PRESSROOM_SLACK_CHANNEL is closed to the bot: nothing is posted there until it is open again, which is checked every hour';

/** A port that notes the channels in which it could not post. */
export function notingClosed(slack: SlackPort, { closedChannels }: Pick<Store, 'closedChannels'>): SlackPort {
  return {
    ...slack,
    async post(posting) {
      try {
        return await slack.post(posting);
      } catch (error) {
        const { team, channel } = posting;
        const { word } = slackFailure(error);
        if (WORDS.has(word)) await closedChannels.add({ team, channel, word });
        throw error;
      }
    },
  };
}

/**
 * Ends the subscriptions of channels that are still closed an hour later, as Slack says itself.
 * @param ofSetting the channel that gets all deploys
 */
export async function endInClosedChannels(parts: Parts, ofSetting: StartedDeploy['channel']): Promise<void> {
  const { closedChannels } = parts.store;
  for (let closed = await closedChannels.take(); closed !== null; closed = await closedChannels.take()) {
    const { team, channel, word, confirmed } = closed;
    const state = await parts.slack.channelState(team, channel);
    if (state === 'unknown') continue;
    // Most bots may post in public channels without being members.
    const isClosed = state !== 'open' && (state !== 'outside' || word === 'not_in_channel');
    if (isClosed) await endIn(parts, { team, channel }, state);
    if (isClosed && ofSetting?.team === team && ofSetting.id === channel) {
      if (confirmed === 0) parts.log.warn({ channel, state }, CLOSED);
      await closedChannels.confirm(closed);
      continue;
    }
    await closedChannels.remove(closed);
    if (confirmed === 1) parts.log.info({ channel }, 'the channel of PRESSROOM_SLACK_CHANNEL is open again');
  }
}

async function endIn(
  parts: Parts,
  place: { readonly team: string; readonly channel: string },
  state: Closing,
): Promise<void> {
  const { store, alerts, languages } = parts;
  const { team, channel } = place;
  const all = await store.subscriptions(place);
  for (const [person, own] of Map.groupBy(all, ({ slack_user }) => slack_user)) {
    const texts = await languages.ofPerson(team, person);
    // Told first: after a crash in between, it is sent once all the same.
    await alerts.send({
      id: `closed:${team}:${channel}:${person}:${Math.max(...own.map(({ created_time }) => created_time))}`,
      team,
      channel: `${DIRECT}${person}`,
      reader: null,
      content: null,
      message: await closedMessage(parts, { channel, state, subscriptions: own }, texts),
    });
    for (const { content } of own) await store.removeSubscription(team, channel, content);
  }
}

/** Maximum subscriptions listed. */
const LISTED = 20;

async function closedMessage(
  { clients, command }: Pick<Parts, 'clients' | 'command'>,
  {
    channel,
    state,
    subscriptions,
  }: {
    readonly channel: string;
    readonly state: Closing;
    readonly subscriptions: readonly Subscription[];
  },
  texts: Texts,
): Promise<Message> {
  const { closed } = texts;
  const listed = await Promise.all(
    subscriptions.slice(0, LISTED).map(async (subscription) => {
      const { title, filters } = subscription;
      // As typed: it is copied.
      const again = escape(line(`${command} ${await subscribeLine(clients, subscription)}`, 400));
      return section(`*${inline(title)}*: ${inline(filterWords(filters.split(','), texts))}\n\`${again}\``);
    }),
  );
  const more = subscriptions.length - listed.length;
  return fit({
    text: closed.text,
    blocks: [
      section(closed.headline(closed.why[state](`<#${channel}>`))),
      ...listed,
      ...(more > 0 ? [section(texts.releases.more(more))] : []),
      section(closed.again(command.replace('/', '@'))),
    ],
  });
}
