// Settings of the server, and its R and Python versions (contract, 4.6).
import { hostname } from 'node:os';
import { ACCESS_TYPES, errors, KINDS } from '@pressroom/api/contract';
import type { ApiResponse, ApiRequest } from '../http/request.ts';
import { listOf } from '../main/config/setting-kinds.ts';
import type { Config } from '../main/config/settings.ts';
import { VERSION } from '../main/config/version.ts';
import type { Installation, Installations } from '../runtime/installations.ts';

interface Parts {
  readonly config: Config;
  readonly installations: Installations;
}

export const settingsRoutes = {
  getApplicationSettings,
  getNodeInformation,
  getPythonInformation,
  getQuartoInformation,
  getRInformation,
  getSchedulerSettings,
  getSchedulerSettingsOfMode,
  getServerSettings,
  getTensorFlowInformation,
};

/** Access types, Unix accounts, and the maximum bundle size. */
function getApplicationSettings({ config }: Pick<Parts, 'config'>): ApiResponse<'getApplicationSettings'> {
  const allowed = listOf(config['Applications.AccessTypes']);
  return {
    access_types: ACCESS_TYPES.filter((type) => allowed.includes(type)),
    run_as: config['Applications.RunAs'],
    run_as_group: config['Applications.RunAsGroup'],
    run_as_current_user: false,
    max_bundle_size: config['Applications.MaxBundleSize'],
  };
}

/** Lists the Node.js installations for applications. */
async function getNodeInformation({
  installations,
}: Pick<Parts, 'installations'>): Promise<ApiResponse<'getNodeInformation'>> {
  const found = await installations.findNode();
  return { enabled: found !== null, installations: versionsOf(found) };
}

/** Lists the Quarto installations for documents. */
async function getQuartoInformation({
  config,
  installations,
}: Parts): Promise<ApiResponse<'getQuartoInformation'>> {
  return { installations: versionsOf(await installations.findQuarto(config['Quarto.Executable'])) };
}

/** Lists the TensorFlow model servers. */
async function getTensorFlowInformation({
  config,
  installations,
}: Pick<Parts, 'config' | 'installations'>): Promise<ApiResponse<'getTensorFlowInformation'>> {
  const found = await installations.findTensorFlow(config['TensorFlow.Server']);
  return { installations: versionsOf(found) };
}

function versionsOf(found: Installation | null): { version: string }[] {
  return found === null ? [] : [{ version: found.version }];
}

/** Default process settings of applications. */
function getSchedulerSettings({ config }: Pick<Parts, 'config'>): ApiResponse<'getSchedulerSettings'> {
  return {
    min_processes: config['Scheduler.MinProcesses'],
    max_processes: config['Scheduler.MaxProcesses'],
    max_conns_per_process: config['Scheduler.MaxConnsPerProcess'],
    load_factor: config['Scheduler.LoadFactor'],
    init_timeout: config['Scheduler.InitTimeout'],
    idle_timeout: config['Scheduler.IdleTimeout'],
    connection_timeout: config['Scheduler.ConnectionTimeout'],
    read_timeout: config['Scheduler.ReadTimeout'],
    min_processes_limit: config['Scheduler.MinProcessesLimit'],
    max_processes_limit: config['Scheduler.MaxProcessesLimit'],
  };
}

/** Default process settings of a kind: the same for all. @throws ApiError 4, 39 for pages, which run nothing */
function getSchedulerSettingsOfMode(
  parts: Pick<Parts, 'config'>,
  { params: { mode } }: ApiRequest<'getSchedulerSettingsOfMode'>,
): ApiResponse<'getSchedulerSettingsOfMode'> {
  const kinds = Object.entries(KINDS).filter(([key, { app_mode }]) => key === mode || app_mode === mode);
  if (kinds.length === 0) throw errors.notFound({ message: `there is no kind of content "${mode}"` });
  // Clients ask before they publish a document, too.
  if (kinds.every(([, { engine }]) => engine === 'files'))
    throw errors.actionNotSupported({ message: `content of the kind "${mode}" has no processes` });
  return getSchedulerSettings(parts);
}

/** Lists the Python installations of the server. */
async function getPythonInformation({
  installations,
}: Pick<Parts, 'installations'>): Promise<ApiResponse<'getPythonInformation'>> {
  const found = await installations.listPython();
  const listed = found.map(({ version, imageName = 'Local' }) => ({
    version,
    cluster_name: 'Local',
    image_name: imageName,
    publishable: true,
  }));
  return { installations: listed, api_enabled: found.length > 0 };
}

/** Lists the R installations of the server. */
async function getRInformation({
  installations,
}: Pick<Parts, 'installations'>): Promise<ApiResponse<'getRInformation'>> {
  const found = await installations.listR();
  return { installations: found.map(({ version }) => ({ version })) };
}

/** Posit Publisher publishes APIs where the first is true. */
const LICENSE = {
  'allow-apis': true,
  'current-user-execution': false,
  'enable-launcher': false,
  'oauth-integrations': false,
};

/** Public information about the server. */
function getServerSettings({ config }: Pick<Parts, 'config'>): Promise<ApiResponse<'getServerSettings'>> {
  return Promise.resolve({
    version: config['API.Version'] === 'none' ? '' : config['API.Version'],
    server_version: VERSION,
    hostname: hostname(),
    authentication: { name: config['Authentication.Provider'] },
    license: LICENSE,
    task_cancel: true,
    device_sign_in: true,
  });
}
