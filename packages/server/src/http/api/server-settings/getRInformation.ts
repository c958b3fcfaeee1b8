// Lists the R installations of the server (contract, 4.6).
import { findInstallations } from '../../../runtime/installations.ts';
import type { ApiAnswer } from '../../request.ts';

export async function getRInformation(): Promise<ApiAnswer<'getRInformation'>> {
  return { installations: (await findInstallations('R')).map((version) => ({ version })) };
}
