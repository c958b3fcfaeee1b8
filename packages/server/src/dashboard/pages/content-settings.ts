// Title, description, processes, schedule, variables and approvals of a content item.
import { type ContentGa, engineOf, type Schedule } from '@pressroom/api/contract';
import { setBar } from '../../content/bar.ts';
import { loadContent } from '../../content/commands.ts';
import { withThumbnail } from '../../content/thumbnails/store.ts';
import { describeSchedule } from '../../schedules/describe.ts';
import { html, type Html } from '../html.ts';
import { apiPath, orNull, type Page, type PageRequest, type Redirect } from '../page.ts';
import {
  actionButton,
  changedFields,
  dangerButton,
  field,
  form,
  inRow,
  linesOf,
  numberOrText,
  requireUnchanged,
  section,
  sectionId,
  shownFields,
  table,
  textArea,
} from '../parts.ts';
import { runsOf, scheduleFields, sentSchedule } from '../schedule-fields.ts';
import { approvals } from './approval-rule.ts';
import { canaryRule } from './canary-rule.ts';
import { contentPage, FOR_COLLABORATORS, isAllowed, loadItem } from './content-frame.ts';
import { repositoryPanel } from './content-git.ts';
import { packageSources } from './content-repositories.ts';
import { contentTags } from './content-tags.ts';
import { trustedPublishers } from './content-trust.ts';

const PROCESS_FIELDS = [
  ['min_processes', 'Minimum processes', 'Scheduler.MinProcesses', 'Scheduler.MinProcessesLimit'],
  ['max_processes', 'Maximum processes', 'Scheduler.MaxProcesses', 'Scheduler.MaxProcessesLimit'],
  ['max_conns_per_process', 'Maximum connections per process', 'Scheduler.MaxConnsPerProcess'],
  ['load_factor', 'Load factor (0 to 1)', 'Scheduler.LoadFactor'],
  ['init_timeout', 'Startup timeout (seconds)', 'Scheduler.InitTimeout'],
  ['idle_timeout', 'Idle timeout (seconds)', 'Scheduler.IdleTimeout'],
  ['connection_timeout', 'Connection timeout (seconds)', 'Scheduler.ConnectionTimeout'],
  ['read_timeout', 'Read timeout (seconds)', 'Scheduler.ReadTimeout'],
] as const;

export async function contentSettings(request: PageRequest): Promise<Page> {
  const { parts, caller } = request;
  const item = await loadItem(request);
  const { content } = await loadContent(parts.storage.db, item.guid, caller, 'getContent');
  const path = `/content/${item.guid}/settings`;
  const processes = PROCESS_FIELDS.map(([name, label, setting, limit]) => {
    const most = limit === undefined ? '' : `; the server allows ${parts.config[limit]}`;
    return field(request, name, label, item[name], { hint: `Default: ${parts.config[setting]}${most}` });
  });
  const runAs =
    caller.role === 'administrator' &&
    field(request, 'run_as', 'Run as', item.run_as, {
      hint: 'Unix account; leave empty for the default of the server',
    });
  const general = html`${shownFields(request, 'settings', shownTexts(item))}${field(request, 'title', 'Title', item.title, { hint: '3 to 1024 characters; leave empty to use the name' })}
    ${textArea(request, 'description', 'Description', item.description, 'Up to 4096 characters')}<button>
      Save
    </button>`;
  const running = html`${shownFields(request, 'processes', shownProcesses(item))}${processes}${runAs}<button>
      Save processes
    </button>`;
  const engine = engineOf(item.app_mode);
  const all: readonly (readonly [title: string, body: Html | false, isOpen?: boolean])[] = [
    ['Schedule', engine === 'document' && (await scheduleForm(request, path)), true],
    ['Tags', await contentTags(request, path), true],
    ['Environment variables', await variables(request, item, path), true],
    ['Processes', engine === 'application' && form(request, `${path}/processes`, running)],
    ['Package repositories', await packageSources(request, item, path)],
    ['Approvals', ...(await approvals(request, item, path))],
    [engine === 'document' ? 'Review of renderings' : 'Canary', await canaryRule(request, item, path)],
    ['Trusted publishers', await trustedPublishers(request, item, path)],
    ['Git repository', ...(await repositoryPanel(request, path))],
    ['Bar above the content', bar(request, path, content.hide_bar === 0)],
    ['Picture', await picture(request, path)],
    [
      'Delete',
      html`<p><a href="${request.root}/content/${item.guid}#delete">Delete this content…</a></p>`,
      true,
    ],
  ];
  const sections = all.filter(([, part]) => part !== false);
  const body = html`<nav aria-label="Sections">
      <ul class="sections">
        ${sections.map(([title]) => html`<li><a href="#${sectionId(title)}">${title}</a></li>`)}
      </ul>
    </nav>
    ${form(request, path, general)}
    ${sections.map(([title, part, isOpen]) => section(request, title, part || html``, isOpen))}`;
  return contentPage(request, item, 'settings', body);
}

async function scheduleForm(request: PageRequest, path: string): Promise<Html> {
  const schedule = await orNull(
    request.call('getContentSchedule', { params: { guid: request.params.guid } }),
  );
  const fields = html`${shownFields(request, 'schedule', shownSchedule(schedule))}${scheduleFields(request, schedule)}<button>
      Save schedule
    </button>`;
  const { parts, params, root } = request;
  const mail =
    parts.config['Mail.URL'] !== '' &&
    html`<p>
      <a href="${root}/content/${params.guid}/variants/default#mail">Mail scheduled renderings…</a>
    </p>`;
  return html`${schedule && runsOf(request, schedule)}${form(request, `${path}/schedule`, fields)}${mail}`;
}

function shownSchedule(schedule: Schedule | null) {
  return { cron: schedule?.cron ?? null, timezone: schedule?.timezone ?? null };
}

async function variables(request: PageRequest, item: ContentGa, path: string): Promise<Html> {
  const mayChange = isAllowed(request, item, 'manageEnvironment');
  const names = await request.call('getEnvironment', { params: { guid: request.params.guid } });
  const rows = names.map((name) => [
    name,
    // Nobody can read the value any more, to set it again.
    mayChange &&
      dangerButton(
        request,
        `${path}/variables`,
        inRow('Remove', name),
        inRow('Confirm', `removing ${name}`),
        {
          remove: name,
        },
      ),
  ]);
  const fields = html`${field(request, 'name', 'Name', '', { required: true })}
    ${textArea(request, 'value', 'Value', '', 'Stored encrypted; not shown again. Can have several lines')}<button>
      Set
    </button>`;
  return html`${table('Variables', ['Name', ''], rows, 'No variables are set.')}
  ${mayChange ? form(request, `${path}/variables`, fields, html`class="row"`) : FOR_COLLABORATORS}`;
}

/** Uploading requires JavaScript, as publishing does. */
async function picture(request: PageRequest, path: string): Promise<Html> {
  const { parts, root, params } = request;
  const guid = params.guid.toLowerCase();
  const isThere = (await withThumbnail(parts.storage.db, [guid])).has(guid);
  const address = `${root}/content/${guid}/thumbnail`;
  const shown = html`<div data-picture ${!isThere && html`hidden`}>
    <img
      class="thumbnail"
      ${isThere && html`src="${address}"`}
      data-src="${address}"
      alt="Picture of this content"
    />
    ${actionButton(request, `${path}/picture/remove`, 'Remove picture')}
  </div>`;
  return html`${shown}
    <p class="field">
      <label for="picture">Picture for the list</label>
      <input
        id="picture"
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        data-upload="${apiPath(request, `/v1/content/${guid}/thumbnail`)}"
        aria-describedby="picture-hint"
      />
      <small id="picture-hint">PNG, JPEG, GIF or WebP, up to 1 MiB; needs JavaScript</small>
    </p>
    <p class="error" role="alert" hidden data-upload-failed></p>`;
}

export async function removePicture({ call, params }: PageRequest): Promise<Redirect> {
  await call('deleteContentThumbnail', { params: { guid: params.guid } });
  return { to: `/content/${params.guid}/settings`, note: 'Picture removed.' };
}

function bar(request: PageRequest, path: string, isShown: boolean): Html {
  const fields = html`<p>
      <label class="check"
        ><input type="checkbox" name="bar" ${isShown && html`checked`} /> Show collaborators a bar that leads
        back here</label
      >
    </p>
    <button>Save bar</button>`;
  return form(request, `${path}/bar`, fields);
}

export async function saveBar({ parts, caller, params, form: sent }: PageRequest): Promise<Redirect> {
  const isShown = sent.has('bar');
  await setBar(parts, caller, params.guid.toLowerCase(), isShown);
  const note = isShown ? 'Collaborators see the bar.' : 'Nobody sees the bar.';
  return { to: `/content/${params.guid}/settings`, note };
}

function shownTexts({ title, description }: ContentGa) {
  return { title, description: linesOf(description) };
}

function shownProcesses(item: ContentGa) {
  const processes = PROCESS_FIELDS.map(([name]) => [name, item[name]] as const);
  return { run_as: item.run_as, ...Object.fromEntries(processes) };
}

export function saveSettings(request: PageRequest): Promise<Redirect> {
  const read = (name: string, text: string) => (name === 'title' ? text || null : linesOf(text));
  return save(request, 'settings', ['title', 'description'], read);
}

export function saveProcesses(request: PageRequest): Promise<Redirect> {
  const names = ['run_as', ...PROCESS_FIELDS.map(([name]) => name)];
  const read = (name: string, text: string) =>
    name === 'run_as' || text === '' ? text || null : numberOrText(text);
  return save(request, 'processes', names, read);
}

/** Saves the fields of a form that were changed. @param read what was typed, as the API takes it */
async function save(
  request: PageRequest,
  what: string,
  names: readonly string[],
  read: (name: string, text: string) => string | number | null,
): Promise<Redirect> {
  const { call, params, form: sent } = request;
  const changed = changedFields(request, what, names);
  const body = Object.fromEntries(changed.map((name) => [name, read(name, sent.get(name)?.trim() ?? '')]));
  await call('updateContentGa', { params: { guid: params.guid }, body });
  return { to: `/content/${params.guid}/settings`, note: 'Settings saved.' };
}

export async function saveSchedule(request: PageRequest): Promise<Redirect> {
  const { call, params } = request;
  const guid = params.guid;
  const body = sentSchedule(request);
  const now = await orNull(call('getContentSchedule', { params: { guid } }));
  const words = now === null ? 'not on a schedule' : describeSchedule(now.cron, now.timezone);
  requireUnchanged(request, 'schedule', shownSchedule(now), words);
  if (body === null) await call('deleteContentSchedule', { params: { guid } });
  else await call('setContentSchedule', { params: { guid }, body });
  const note = body === null ? 'Schedule removed.' : 'Schedule saved.';
  return { to: `/content/${guid}/settings`, note };
}

export async function setVariable({ call, params, form: sent }: PageRequest): Promise<Redirect> {
  const removed = sent.get('remove');
  const name = removed ?? sent.get('name')?.trim() ?? '';
  const value = removed !== null ? null : linesOf(sent.get('value') ?? '');
  await call('updateEnvironment', { params: { guid: params.guid }, body: [{ name, value }] });
  const note = value === null ? `${name} removed.` : `${name} saved. New processes use it.`;
  return { to: `/content/${params.guid}/settings`, note };
}
