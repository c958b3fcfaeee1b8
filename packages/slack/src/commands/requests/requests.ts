// `requests`: requests for access to content that the invoker may share, and for the publisher role.
import type { Command } from '../command.ts';
import { requestsMessage } from './blocks.ts';
import { requestsTexts } from './texts.ts';

export const requests: Command = {
  texts: requestsTexts,
  syntax: { usage: 'requests', examples: ['requests'], subject: 'none', options: {} },
  account: 'own',
  async run({ client, services, signal, texts }) {
    const access = await client.getAccessRequests({}, { signal });
    const { user_role: role } = await client.getCurrentUser({}, { signal });
    const roles = role === 'administrator' ? await client.getRoleRequests({}, { signal }) : [];
    return requestsMessage({ access, roles, server: services.clients.server }, texts);
  },
};
