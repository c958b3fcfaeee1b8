// What the server is, for anyone.
import { hostname } from 'node:os';
import { VERSION } from '../../../config/version.ts';
import type { ApiAnswer } from '../../request.ts';
import type { Services } from '../../../services.ts';

export function getServerSettings({ config }: Services): Promise<ApiAnswer<'getServerSettings'>> {
  return Promise.resolve({
    version: VERSION,
    hostname: hostname(),
    authentication: { name: config['Authentication.Provider'] },
    task_cancel: true,
    device_sign_in: true,
  });
}
