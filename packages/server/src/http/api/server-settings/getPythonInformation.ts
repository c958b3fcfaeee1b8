// Lists the Python installations of the server.
import { findInstallations } from '../../../runtime/installations.ts';
import type { ApiAnswer } from '../../request.ts';

export async function getPythonInformation(): Promise<ApiAnswer<'getPythonInformation'>> {
  const versions = await findInstallations('Python');
  const installations = versions.map((version) => ({ version, cluster_name: 'Local', image_name: 'Local' }));
  return { installations, api_enabled: versions.length > 0 };
}
