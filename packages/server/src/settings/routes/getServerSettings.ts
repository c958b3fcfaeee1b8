// What the server is, for anyone.
import { hostname } from 'node:os';
import { VERSION } from '../../main/config/version.ts';
import type { ApiAnswer } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export function getServerSettings({ config }: Services): Promise<ApiAnswer<'getServerSettings'>> {
  return Promise.resolve({
    version: VERSION,
    hostname: hostname(),
    authentication: { name: config['Authentication.Provider'] },
    task_cancel: true,
    device_sign_in: true,
  });
}
