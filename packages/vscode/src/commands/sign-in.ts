// Signs in to a server, given or entered.
import type { Command } from './command.ts';

export const signIn: Command = {
  title: 'Sign In to Server',
  palette: true,
  async run({ refresh, signIn: ask }, argument) {
    const done = typeof argument === 'string' ? await ask.key(argument) : await ask.server();
    if (done) refresh();
  },
};
