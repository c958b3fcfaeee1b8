// Creates a content item, for older clients.
import { createContent } from '../../commands.ts';
import { presentApplication } from '../../present.ts';
import { contentBaseOf } from '../../../visitors/content-address.ts';
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';

export async function createApplication(
  services: Services,
  { body, caller, base }: ApiRequest<'createApplication'>,
): Promise<ApiAnswer<'createApplication'>> {
  const { content } = await createContent(services, caller, body);
  return presentApplication(content, { base, contentBase: contentBaseOf(services.config, base) });
}
