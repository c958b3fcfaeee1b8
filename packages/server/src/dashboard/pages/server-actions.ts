// Administrators' actions on processes: end one, drain content, drain a server or all.
import { loadContent } from '../../content/commands.ts';
import { type PageRequest, type Redirect, requireAdministrator } from '../page.ts';

export async function killProcess(request: PageRequest): Promise<Redirect> {
  await requireAdministrator(request);
  const { call, form } = request;
  const params = { guid: form.get('guid') ?? '', key: form.get('key') ?? '' };
  await call('stopContentJob', { params });
  return { to: '/server', note: 'Process ended.' };
}

export async function drainProcesses(request: PageRequest): Promise<Redirect> {
  await requireAdministrator(request);
  const { parts, caller, form } = request;
  const { storage, audit, processes } = parts;
  const content = await storage.write(async (tx) => {
    const found = await loadContent(tx, form.get('guid') ?? '', caller, 'restartContent');
    const { guid, name } = found.content;
    await audit(tx, caller, 'edit_application', `Drains the processes of content ${name} (${guid})`, {
      content: guid,
    });
    return found.content;
  });
  processes.drainAll(content.guid);
  return { to: '/server', note: `The processes of ${content.name} take no new visitors.` };
}

/** A single server if the form names it, else all. */
export async function closeServer({ call, form }: PageRequest): Promise<Redirect> {
  const server = form.get('server') ?? '';
  const body = server === '' ? {} : { server };
  const isClosed = form.get('closed') === '1';
  const where = server === '' ? '' : ` on ${server}`;
  const { servers } = await call(isClosed ? 'drainServers' : 'resumeServers', { body });
  const all = server === '' && servers.length > 1 ? ' on all servers' : where;
  return {
    to: '/server',
    note: isClosed ? `No more processes start${all}.` : `Processes start again${all}.`,
  };
}
