// pressroom admin doctor: checks of the server's environment, made by the server itself.
import type { ServerFinding } from '@pressroom/api/contract';
import type { Command } from '../../command.ts';
import { openClient, resolveConnection } from '../../connection.ts';
import { EXIT } from '../../exit-codes.ts';
import { show } from '../../terminal/output.ts';

const MARKS: Readonly<Record<ServerFinding['state'], string>> = { good: 'ok', warning: 'WARN', bad: 'BAD' };

export const adminDoctor: Command = {
  name: 'doctor',
  synopsis: 'admin doctor',
  summary: 'Check what the server needs, and say how to fix what is wrong; exit code 1 if something is',
  help: [
    '  Checks the server that answers: disk, database, stores, other servers, mail, addresses,',
    '  certificates, sign-in, R and Python. npm run doctor on its machine checks more, and works',
    '  when the server does not start.',
  ],
  positionals: [0, 0],
  async run(context) {
    const { terminal, json, signal } = context;
    await using client = openClient(context, await resolveConnection(context));
    const examined = await client.examineServer({}, { signal });
    const { server, version, findings } = examined;
    const count = (state: ServerFinding['state']) => findings.filter((one) => one.state === state).length;
    const [problems, warnings] = [count('bad'), count('warning')];
    if (!json) terminal.note(`Pressroom ${version} at ${server}`);
    await show(context, examined, () => findings.flatMap(rowsOf));
    if (!json) terminal.note(`${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`);
    return problems === 0 ? EXIT.ok : EXIT.failed;
  },
};

function rowsOf({ state, name, message, remedy }: ServerFinding): string[][] {
  return [[MARKS[state], name, message], ...(remedy === '' ? [] : [['', '', `→ ${remedy}`]])];
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
