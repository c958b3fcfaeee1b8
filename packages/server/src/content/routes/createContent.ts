// Creates a content item (contract, 4.3).
import { createContent as createContentCommand } from '../commands.ts';
import { presentContent } from '../present.ts';
import { contentBaseOf } from '../../visitors/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../http/request.ts';
import type { Services } from '../../main/services.ts';

export async function createContent(
  services: Services,
  { body, caller, base }: ApiRequest<'createContent'>,
): Promise<ApiAnswer<'createContent'>> {
  const { content, role } = await createContentCommand(services, caller, body);
  return presentContent(content, { role, base, contentBase: contentBaseOf(services.config, base) });
}
