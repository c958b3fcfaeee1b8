// Settings of the server, and the R and Python versions it has (contract, 4.6).
import { hostname } from 'node:os';
import type { ApiAnswer } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import { VERSION } from '../main/config/version.ts';
import type { Installations } from '../runtime/installations.ts';

interface Parts {
  readonly config: Config;
  readonly installations: Installations;
}

export const settingsRoutes = {
  getPythonInformation,
  getQuartoInformation,
  getRInformation,
  getServerSettings,
};

/** Lists the Python installations of the server. */
async function getPythonInformation({
  installations,
}: Pick<Parts, 'installations'>): Promise<ApiAnswer<'getPythonInformation'>> {
  const found = await installations.findPython();
  if (!found) return { installations: [], api_enabled: false };
  const installation = { version: found.version, cluster_name: 'Local', image_name: 'Local' };
  return { installations: [installation], api_enabled: true };
}

/** Lists the Quarto installations of the server, which cannot run Quarto yet. */
function getQuartoInformation(): Promise<ApiAnswer<'getQuartoInformation'>> {
  return Promise.resolve({ installations: [] });
}

/** Lists the R installations of the server (contract, 4.6). */
async function getRInformation({
  installations,
}: Pick<Parts, 'installations'>): Promise<ApiAnswer<'getRInformation'>> {
  const found = await installations.findR();
  return { installations: found ? [{ version: found.version }] : [] };
}

/** What the server is, for anyone. */
function getServerSettings({ config }: Pick<Parts, 'config'>): Promise<ApiAnswer<'getServerSettings'>> {
  return Promise.resolve({
    version: config['API.Version'] === 'none' ? '' : config['API.Version'],
    server_version: VERSION,
    hostname: hostname(),
    authentication: { name: config['Authentication.Provider'] },
    task_cancel: true,
    device_sign_in: true,
  });
}
