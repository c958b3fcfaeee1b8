// Server operations of the API: list, drain, resume and examine.
import { errors } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { VERSION } from '../main/config/version.ts';
import type { Examine } from '../platform/examine.ts';
import {
  drainServers as drainCommand,
  readServers,
  resumeServers as resumeCommand,
  type Parts,
} from './commands.ts';
import { presentServers } from './present.ts';

export const clusterRoutes = {
  createSystemCheck,
  drainServers,
  examineServer,
  getServers,
  getSystemCheck: createSystemCheck,
  getSystemCheckResults,
  resumeServers,
};

type Examining = Pick<Parts, 'drain'> & { readonly examine: Examine };

/** Lists the servers and which are drained. */
async function getServers(parts: Pick<Parts, 'storage' | 'drain'>): Promise<ApiResponse<'getServers'>> {
  return presentServers(await readServers(parts));
}

/** Drains a server, or all. */
async function drainServers(
  parts: Parts,
  { caller, body }: ApiRequest<'drainServers'>,
): Promise<ApiResponse<'drainServers'>> {
  await drainCommand(parts, caller, body.server);
  return presentServers(await readServers(parts));
}

/** Resumes a server, or all. */
async function resumeServers(
  parts: Parts,
  { caller, body }: ApiRequest<'resumeServers'>,
): Promise<ApiResponse<'resumeServers'>> {
  await resumeCommand(parts, caller, body.server);
  return presentServers(await readServers(parts));
}

/** Checks the environment of this server. @throws ApiError 100 while another check runs */
async function examineServer({ drain, examine }: Examining): Promise<ApiResponse<'examineServer'>> {
  const findings = await examine();
  if (findings === null)
    throw errors.itemBusy({ message: 'The server is being checked already. Try again in a moment.' });
  return { server: drain.server, version: VERSION, findings: [...findings] };
}

/** Names the check of this server: its results are made when they are read, so nothing is stored. */
function createSystemCheck({ drain }: Pick<Parts, 'drain'>): ApiResponse<'createSystemCheck'> {
  return { id: 1, hostname: drain.server, status: 'done' };
}

/** Checks the environment of this server, in the form of other servers. @throws ApiError 100 while another check runs */
async function getSystemCheckResults(parts: Examining): Promise<ApiResponse<'getSystemCheckResults'>> {
  const { findings, server } = await examineServer(parts);
  const results = findings.map(({ name, state, message, remedy }) => {
    const said = [message, remedy].filter(Boolean).join('\n');
    const passed = state !== 'bad';
    return {
      group: { name: server },
      test: { name },
      passed,
      output: passed ? said : '',
      error: passed ? '' : said,
    };
  });
  return { run: createSystemCheck(parts), results };
}
