// Creates the first administrator for a program with the token of the set-up link; beside the contract.
import { endpoint } from '../endpoint.ts';
import { Closed, Type } from '../schema.ts';

export const bootstrap = endpoint({
  operationId: 'bootstrap',
  group: 'users',
  summary:
    'Create the first administrator with an API key. `Authorization: Connect-Bootstrap JWT`, signed (HS256) with the ' +
    'token of the set-up link, with the scope `bootstrap`, the audience `rsconnect` and 15 minutes to live at most',
  method: 'POST',
  path: '/v1/experimental/bootstrap',
  status: 200,
  response: Closed({ api_key: Type.String() }),
  errors: [400, 401, 403],
  access: 'anyone',
  providers: { only: ['password'], otherwise: 132 },
  origin: 'addition',
});
