// Who am I, for older clients.
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';
import { getCurrentUser } from '../../../people/routes/getCurrentUser.ts';

export async function getPublisher(
  services: Services,
  request: Pick<ApiRequest<'getPublisher'>, 'caller'>,
): Promise<ApiAnswer<'getPublisher'>> {
  const user = await getCurrentUser(services, request);
  return { id: user.guid, ...user };
}
