// Operations that clients call but this server does not support: execution environments.
import { errors } from '@pressroom/api/contract';

export const absentRoutes = {
  getExecutionEnvironment: nothing,
  getExecutionEnvironments: none,
};

function none(): never[] {
  return [];
}

function nothing(): never {
  throw errors.notFound();
}
