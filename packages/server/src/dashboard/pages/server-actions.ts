// What administrators do with the processes of this server: end one, let those of a content item run out, start no more.
import { hostname } from 'node:os';
import { errors } from '@pressroom/api/contract';
import { loadContent } from '../../content/commands.ts';
import type { PageRequest, Redirect } from '../page.ts';

function requireAdministrator({ caller }: PageRequest): void {
  if (caller.role !== 'administrator') throw errors.operationDenied();
}

export async function killProcess(request: PageRequest): Promise<Redirect> {
  requireAdministrator(request);
  const { call, form } = request;
  const params = { guid: form.get('guid') ?? '', key: form.get('key') ?? '' };
  await call('stopContentJob', { params });
  return { to: '/server', note: 'Process ended.' };
}

export async function drainProcesses(request: PageRequest): Promise<Redirect> {
  requireAdministrator(request);
  const { parts, caller, form } = request;
  const { storage, audit, applications } = parts;
  const content = await storage.write(async (tx) => {
    const found = await loadContent(tx, form.get('guid') ?? '', caller, 'restartContent');
    const { guid, name } = found.content;
    await audit(tx, caller, 'edit_application', `Drains the processes of content ${name} (${guid})`, {
      content: guid,
    });
    return found.content;
  });
  applications.drain(content.guid);
  return { to: '/server', note: `The processes of ${content.name} take no new visitors.` };
}

export async function closeServer(request: PageRequest): Promise<Redirect> {
  requireAdministrator(request);
  const { parts, caller, form } = request;
  const { storage, audit, applications } = parts;
  const isClosed = form.get('closed') === '1';
  const action = isClosed ? 'close_server' : 'open_server';
  const where = storage.isShared ? `this server (${hostname()})` : 'this server';
  const description = isClosed
    ? `Starts no more processes on ${where}`
    : `Starts processes again on ${where}`;
  await storage.write((tx) => audit(tx, caller, action, description));
  applications.isClosed = isClosed;
  return { to: '/server', note: `${description}.` };
}
