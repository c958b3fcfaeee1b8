// Who am I, for older clients.
import type { ApiAnswer, ApiRequest } from '../../../http/request.ts';
import type { Services } from '../../../main/services.ts';
import { getPublisher } from './getPublisher.ts';

export function getMe(services: Services, { caller }: ApiRequest<'getMe'>): Promise<ApiAnswer<'getMe'>> {
  return getPublisher(services, { caller });
}
