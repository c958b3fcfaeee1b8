// Who am I, for older clients.
import type { ApiAnswer, ApiRequest } from '../../request.ts';
import type { Services } from '../../../services.ts';
import { getCurrentUser } from '../users/getCurrentUser.ts';

export async function getPublisher(
  services: Services,
  request: Pick<ApiRequest<'getPublisher'>, 'caller'>,
): Promise<ApiAnswer<'getPublisher'>> {
  const user = await getCurrentUser(services, request);
  return { id: user.guid, ...user };
}
