// pressroom whoami: the owner of the API key.
import { whoAmI } from '@pressroom/api/client';
import type { Command } from '../command.ts';
import { openClient, resolveConnection } from '../connection.ts';
import { fullName } from '../terminal/full-name.ts';
import { show } from '../terminal/output.ts';

export const whoami: Command = {
  name: 'whoami',
  synopsis: 'whoami',
  summary: 'Show the server and the account in use',
  positionals: [0, 0],
  async run(context) {
    await using client = openClient(context, await resolveConnection(context));
    const options = { signal: context.signal };
    const user = await whoAmI(client, options);
    const dialect = await client.dialect(options);
    const name = user === null ? '' : fullName(user);
    const rows =
      user === null
        ? [['Account', 'not reported by this older server']]
        : [
            ['Account', name === '' ? user.username : `${user.username} (${name})`],
            ['Role', user.user_role],
            ['GUID', user.guid],
          ];
    return show(context, { server: client.url, dialect, user }, () => [['Server', client.url], ...rows]);
  },
};
