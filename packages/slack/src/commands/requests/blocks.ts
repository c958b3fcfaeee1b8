// Messages of `requests`.
import type { AccessRequest, ListedAccessRequest, RoleRequest } from '@pressroom/api/contract';
import { context, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { requestBlocks } from '../../deliver/requests/request-message.ts';
import type { Texts } from '../../texts/en.ts';

/** Maximum requests, oldest first: each has three blocks, and a message fifty. */
const SHOWN = 12;

interface Requests {
  readonly access: readonly ListedAccessRequest[];
  readonly roles: readonly RoleRequest[];
  /** Address of the content server. */
  readonly server: string;
}

export function requestsMessage({ access, roles, server }: Requests, texts: Texts): Message {
  const open = { state: 'asked', role: null, decided_by: '', decided_time: null, listed: true } as const;
  const common = ({
    username,
    message,
    created_time,
  }: Pick<AccessRequest, 'username' | 'message' | 'created_time'>) => ({
    ...open,
    who: username,
    message,
    asked: created_time,
  });
  const all = [
    ...roles.map((one) => ({
      ...common(one),
      kind: 'role' as const,
      request: one.user_guid,
      content: null,
      title: '',
      url: null,
    })),
    ...access.map((one) => ({
      ...common(one),
      kind: 'access' as const,
      request: one.id,
      content: one.content_guid,
      title: one.content_title ?? one.content_name,
      url: `${server}/content/${one.content_guid}/`,
    })),
  ];
  const { list, noneOpen, onlyOldest } = texts.access;
  const headline = all.length === 0 ? noneOpen : list(all.length);
  return fit({
    text: headline,
    blocks: [
      section(headline),
      ...(all.length > SHOWN ? [context(onlyOldest(SHOWN))] : []),
      ...all.slice(0, SHOWN).flatMap((one) => requestBlocks(one, texts)),
    ],
  });
}
