// pressroom admin drain, resume: before servers are stopped, and afterwards.
import type { ServerStates } from '@pressroom/api/contract';
import { listedBy } from '../../arguments/missing-object.ts';
import { stringOption, type Command } from '../../command.ts';
import { openClient, resolveConnection } from '../../connection.ts';
import { show } from '../../terminal/output.ts';

const SERVER = '  --on SERVER        Only this server, as `pressroom admin servers` names it (default: all)';

export const adminServers: Command = {
  name: 'servers',
  synopsis: 'admin servers',
  summary: 'List the servers of the database, and which of them drain',
  positionals: [0, 0],
  async run(context) {
    await using client = openClient(context, await resolveConnection(context));
    return show(context, await client.getServers({}, { signal: context.signal }), tableOf);
  },
};

export const adminDrain = changing({
  name: 'drain',
  summary: 'Start no more processes on all servers or on one, before it is stopped',
  help: [
    SERVER,
    '',
    'Running processes keep their visitors, and /__health__/ready returns 503, so that a proxy',
    'sends new ones elsewhere. This stays on after a restart, until: pressroom admin resume',
  ],
  operation: 'drainServers',
});

export const adminResume = changing({
  name: 'resume',
  summary: 'Start processes again after admin drain',
  help: [SERVER],
  operation: 'resumeServers',
});

interface Changing extends Pick<Command, 'summary' | 'help'> {
  readonly name: 'drain' | 'resume';
  readonly operation: 'drainServers' | 'resumeServers';
}

function changing({ name, summary, help, operation }: Changing): Command {
  return {
    name,
    synopsis: `admin ${name}`,
    summary,
    help,
    options: { on: { type: 'string' } },
    positionals: [0, 0],
    async run(context) {
      const server = stringOption(context, 'on');
      await using client = openClient(context, await resolveConnection(context));
      const states = await client[operation](server === undefined ? {} : { server }, {
        signal: context.signal,
      }).catch(listedBy(context, 'admin servers', server !== undefined, 'the servers'));
      return show(context, states, tableOf);
    },
  };
}

function tableOf({ servers }: ServerStates): string[][] {
  return [
    ['SERVER', 'RUNS', 'PROCESSES', 'SINCE', 'BY'],
    ...servers.map(({ name, running, draining, drained_time, drained_by }) => [
      name,
      running ? 'yes' : 'no',
      draining ? 'start no more' : 'start',
      drained_time ?? '',
      drained_by ?? '',
    ]),
  ];
}
