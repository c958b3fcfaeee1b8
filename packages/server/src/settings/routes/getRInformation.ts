// Lists the R installations of the server (contract, 4.6).
import type { ApiAnswer } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function getRInformation({ installations }: Services): Promise<ApiAnswer<'getRInformation'>> {
  const found = await installations.findR();
  return { installations: found ? [{ version: found.version }] : [] };
}
