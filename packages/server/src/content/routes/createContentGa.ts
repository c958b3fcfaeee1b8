// Creates a content item (contract, 4.3).
import { createContent as createContentCommand } from '../commands.ts';
import { presentContentGa } from '../present.ts';
import { contentBaseOf } from '../../visitors/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createContentGa(
  services: Services,
  { body, caller, base }: ApiRequest<'createContentGa'>,
): Promise<ApiAnswer<'createContentGa'>> {
  const { content, role } = await createContentCommand(services, caller, body);
  return presentContentGa(content, { role, base, contentBase: contentBaseOf(services.config, base) });
}
