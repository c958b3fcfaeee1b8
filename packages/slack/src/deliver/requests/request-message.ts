// A request for access or the publisher role, as shown to people who decide.
import { actions, button, context, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line, link, moment } from '../../blocks/text.ts';
import type { RequestRow } from '../../store/requests.ts';
import type { Texts } from '../../texts/en.ts';

export type RequestView = Pick<
  RequestRow,
  | 'kind'
  | 'request'
  | 'content'
  | 'title'
  | 'url'
  | 'who'
  | 'message'
  | 'state'
  | 'role'
  | 'decided_by'
  | 'decided_time'
> & {
  /** When it was made, if shown. */
  readonly asked?: string;
  /** In a list, whose buttons are answered with a separate message. */
  readonly listed?: boolean;
};

/** The request and its reason; with buttons while it is open, else with the decision. */
export function requestBlocks(view: RequestView, texts: Texts): Message['blocks'] {
  const { kind, request, content, title, url, who, message, state, asked, listed = false } = view;
  const { access, buttons } = texts;
  const name = inline(who, 100);
  const headline = kind === 'access' ? access.asks(name, link(url, title)) : access.asksRole(name);
  const why = message === null ? '' : `\n&gt; ${inline(message, 500)}`.replace('&gt;', '>');
  const target = kind === 'access' ? `access ${line(content ?? '', 64)}` : 'role';
  const value = `${target} ${line(request, 64)}${listed ? ' listed' : ''}`;
  return [
    section(headline + why),
    ...(asked === undefined ? [] : [context(moment(asked))]),
    ...(state === 'asked'
      ? [
          actions(
            button('request:grant', kind === 'access' ? buttons.grantViewer : buttons.makePublisher, value, {
              style: 'primary',
            }),
            ...(kind === 'access' ? [button('request:collaborate', buttons.grantCollaborator, value)] : []),
            button('request:decline', buttons.decline, value),
          ),
        ]
      : [context(decided(view, texts))]),
  ];
}

export function requestMessage(view: RequestView, texts: Texts): Message {
  const { kind, title, who } = view;
  const { access } = texts;
  const name = inline(who, 100);
  const text = kind === 'access' ? access.asksText(name, inline(title)) : access.asksRoleText(name);
  return fit({ text, blocks: requestBlocks(view, texts) });
}

function decided({ state, role, decided_by, decided_time }: RequestView, { access }: Texts): string {
  const by = inline(decided_by, 100);
  const when = moment(decided_time);
  if (state === 'declined') return access.declined(by, when);
  if (state === 'expired') return access.expired(when);
  if (role === 'owner') return access.grantedCollaborator(by, when);
  return role === 'publisher' ? access.grantedPublisher(by, when) : access.grantedViewer(by, when);
}

/** Informs the requester. With the title only if they can see it now. */
export function outcomeMessage(
  {
    kind,
    what,
    title,
    url,
  }: {
    readonly kind: 'access' | 'role';
    readonly what: 'granted' | 'declined' | 'expired';
    readonly title: string;
    readonly url: string | null;
  },
  { access }: Texts,
): Message {
  if (kind === 'role') {
    const text = {
      granted: access.youPublish,
      declined: access.yourRoleDeclined,
      expired: access.yourRoleExpired,
    }[what];
    return { text, blocks: [section(text)] };
  }
  if (what === 'granted')
    return fit({
      text: access.youSeeText(inline(title)),
      blocks: [section(access.youSee(link(url, title)))],
    });
  return fit({
    text: what === 'declined' ? access.yourDeclinedText : access.yourExpiredText,
    blocks: [section(access[what === 'declined' ? 'yourDeclined' : 'yourExpired'](link(url, url ?? '')))],
  });
}
