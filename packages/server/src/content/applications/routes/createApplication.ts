// Creates a content item, for older clients.
import { createContent } from '../../../commands/content.ts';
import { presentApplication } from '../../../domain/presenters.ts';
import { contentBaseOf } from '../../../config/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';

export async function createApplication(
  services: Services,
  { body, caller, base }: ApiRequest<'createApplication'>,
): Promise<ApiAnswer<'createApplication'>> {
  const { content } = await createContent(services, caller, body);
  return presentApplication(content, { base, contentBase: contentBaseOf(services.config, base) });
}
