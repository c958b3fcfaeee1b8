// pressroom admin reset-password: creates a link for a user to set a password, once.
import { findUser } from '../../arguments/principal.ts';
import type { Command } from '../../command.ts';
import { openClient, resolveConnection } from '../../connection.ts';
import { show } from '../../terminal/output.ts';

export const resetPassword: Command = {
  name: 'reset-password',
  synopsis: 'admin reset-password USER',
  summary: 'Print a link with which a user sets a new password, once',
  positionals: [1, 1],
  async run(context) {
    const { terminal, json, signal, positionals } = context;
    await using client = openClient(context, await resolveConnection(context));
    const { guid, username } = await findUser(client, positionals[0] ?? '', context);
    const link = await client.createPasswordLink({ guid }, { signal });
    if (!json) terminal.note(`Send this link to ${username}. It works once, until ${link.expires_time}:`);
    return show(context, link, ({ url }) => [[url]]);
  },
};
