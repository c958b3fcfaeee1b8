// The server as a separate process.
import { builtProgram } from './built-program.ts';
import { startListening, type ListeningProcess } from './listening-process.ts';

/** @param inherited file descriptors that it gets from 20 on */
export async function startServerProcess(
  dataDir: string,
  env: Record<string, string> = {},
  onLine?: (line: string) => void,
  inherited?: readonly number[],
): Promise<ListeningProcess> {
  const variables = {
    PATH: process.env.PATH ?? '',
    PRESSROOM_SERVER_DATADIR: dataDir,
    PRESSROOM_HTTP_LISTEN: '127.0.0.1:0',
    PRESSROOM_LOG_LEVEL: 'error',
    PRESSROOM_APPLICATIONS_PICTURES: 'false',
    PRESSROOM_APPLICATIONS_PREPAREDPROCESSES: '0',
    ...env,
  };
  return startListening(await builtProgram('serve'), variables, onLine, inherited);
}
