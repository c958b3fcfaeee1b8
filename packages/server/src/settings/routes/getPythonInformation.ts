// Lists the Python installations of the server.
import type { ApiAnswer } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getPythonInformation({
  installations,
}: Services): Promise<ApiAnswer<'getPythonInformation'>> {
  const found = await installations.findPython();
  if (!found) return { installations: [], api_enabled: false };
  const installation = { version: found.version, cluster_name: 'Local', image_name: 'Local' };
  return { installations: [installation], api_enabled: true };
}
