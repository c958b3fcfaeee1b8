// A server that leaves out all fields but those without which clients refuse a response, or gives null for them.
import { createServer } from 'node:http';
import { type Endpoint, operations } from '../../contract/index.ts';
import { listen } from './fake-server.ts';

export const SPARSE_GUID = 'cccccccc-0000-4000-8000-000000000009';
const NEEDED = /^(guid|id|task_id|bundle_id|finished|results|installations|key|device_code|user_code)$/;

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** @param isNull gives null for fields instead of leaving them out */
export async function startSparseServer(isNull: boolean): Promise<{ url: string } & Disposable> {
  const server = createServer((request, response) => {
    const at = (request.url ?? '').replace('/__api__', '').replace(/\?.*/, '');
    const found = operationAt(request.method ?? '', at);
    const answer =
      typeof found?.response === 'object' ? JSON.stringify(sparse(found.response as Schema, '', isNull)) : '';
    request.resume().on('end', () => {
      response.writeHead(found?.status ?? 404, { 'content-type': 'application/json' }).end(answer);
    });
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** One of everything. */
function sparse(schema: Schema, name: string, isNull: boolean): unknown {
  const types = [schema.type ?? []].flat();
  if (types.includes('array')) return [sparse(schema.items ?? {}, '', isNull)];
  if (types.includes('boolean')) return true;
  if (!types.includes('object')) return types.includes('string') ? (name === 'guid' ? SPARSE_GUID : '7') : 0;
  const given = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const isNeeded = NEEDED.test(key) && schema.required?.includes(key);
    if (isNeeded) return [[key, sparse(property, key, isNull)] as const];
    return isNull ? [[key, null] as const] : [];
  });
  return Object.fromEntries(given);
}

/** That with the fewest parameters in its path. */
function operationAt(method: string, at: string): Endpoint | undefined {
  const all: readonly Endpoint[] = Object.values(operations);
  const isMeant = ({ method: its, path }: Endpoint) =>
    its === method && new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(at);
  const parameters = ({ path }: Endpoint) => path.split('{').length;
  return all.filter(isMeant).toSorted((a, b) => parameters(a) - parameters(b))[0];
}
