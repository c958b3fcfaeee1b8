// Creates a content item (contract, 4.3).
import { createContent as createContentCommand } from '../../../commands/content.ts';
import { presentContent } from '../../../domain/presenters.ts';
import { contentBaseOf } from '../../../config/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createContent(
  services: Services,
  { body, caller, base }: ApiRequest<'createContent'>,
): Promise<ApiAnswer<'createContent'>> {
  const { content, role } = await createContentCommand(services, caller, body);
  return presentContent(content, { role, base, contentBase: contentBaseOf(services.config, base) });
}
