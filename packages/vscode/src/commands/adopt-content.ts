// Uses content that exists on a server as a target: from a list, or by its address.
import path from 'node:path';
import { RefusedError } from '@pressroom/api/client';
import { findKind } from '@pressroom/api/contract';
import { findContentRecord, inspectDirectory, writeRecord } from '@pressroom/api/publish';
import { l10n, window, type QuickPickItem } from 'vscode';
import { mayUseKeys } from '../publish/may-use-keys.ts';
import { keyFor } from '../sign-in/key-for.ts';
import type { ContentDetails } from '../store/history.ts';
import { showInformationMessage } from '../ui/messages.ts';
import { hostOf, typeText } from '../ui/texts.ts';
import type { Command, CommandParts } from './command.ts';
import { NODE } from './when.ts';

interface ContentItem extends QuickPickItem {
  readonly content?: ContentDetails;
}

const GUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

export const adoptContent: Command = {
  title: 'Use Existing Content as Target',
  menus: [
    {
      in: 'view/item/context',
      when: `${NODE} /^directory\\.(published|unpublished)/`,
      group: '2_publish@3',
    },
  ],
  async run(parts, argument) {
    if (!mayUseKeys()) return;
    const dir = await parts.directories.meantBy(argument);
    if (dir === undefined) return;
    const [only, ...others] = parts.keys.accounts();
    const isClear = only !== undefined && others.length === 0;
    const title = l10n.t('Targets of {0}', path.basename(dir));
    const server = isClear ? only.server : await parts.signIn.server({ title, known: true });
    if (server === undefined || (await keyFor(parts, server)) === undefined) return;
    const content = await pickContent(parts, server);
    if (content === undefined) return;
    await adopt(parts, dir, server, content);
    void showInformationMessage(
      l10n.t('{0} is published to {1} from now on.', path.basename(dir), content.title || content.name),
    );
  },
};

async function pickContent({ history }: CommandParts, server: string): Promise<ContentDetails | undefined> {
  // A server without a list still finds content by its address.
  const all = await history.mine(server).catch((error: unknown) => {
    if (error instanceof RefusedError && error.status === 404) return [];
    throw error;
  });
  const items: ContentItem[] = [
    { label: l10n.t('$(link) Enter an address…'), alwaysShow: true },
    ...all.map((content) => ({
      label: content.title || content.name,
      description: content.title ? content.name : '',
      detail: typeText(content.app_mode),
      content,
    })),
  ];
  const picked = await window.showQuickPick(items, {
    title: l10n.t('Use Content on {0}', hostOf(server)),
    placeHolder: l10n.t('Select the content to publish to'),
    matchOnDescription: true,
  });
  if (picked === undefined || picked.content !== undefined) return picked?.content;
  const address = await window.showInputBox({
    prompt: l10n.t('Address of the content, or its GUID'),
    placeHolder: `${server}/content/…`,
    validateInput: (text) => (text.trim() === '' ? l10n.t('Enter an address.') : undefined),
  });
  return address === undefined ? undefined : contentAt(history, server, address.trim(), all);
}

async function contentAt(
  history: CommandParts['history'],
  server: string,
  address: string,
  all: readonly ContentDetails[],
): Promise<ContentDetails> {
  const origin = URL.parse(address)?.origin;
  if (origin !== undefined && origin !== 'null' && origin !== new URL(server).origin)
    throw new Error(l10n.t('This address is not on {0}.', hostOf(server)));
  const [guid] = GUID.exec(address) ?? [];
  if (guid !== undefined) return history.content({ server, guid: guid.toLowerCase() });
  const same = (url: string | undefined) => url?.replace(/\/+$/, '') === address.replace(/\/+$/, '');
  const found = all.find(({ url }) => same(url));
  if (found === undefined) throw new Error(l10n.t('No content of yours has this address.'));
  return found;
}

async function adopt(
  { directories, store }: Pick<CommandParts, 'directories' | 'store'>,
  dir: string,
  server: string,
  { guid, name, app_mode, bundle_id }: ContentDetails,
): Promise<void> {
  await directories.update(dir);
  const { candidates } = await inspectDirectory(dir, { exclude: directories.excludeOf(dir) });
  const fits = candidates.find(
    ({ appmode }) => appmode === app_mode || findKind(appmode)?.app_mode === app_mode,
  );
  if (fits === undefined && app_mode !== 'unknown' && bundle_id !== null)
    throw new Error(
      l10n.t('{0} is of the type {1}, and nothing in this folder is.', name, typeText(app_mode)),
    );
  if ((await findContentRecord(dir, { server, guid })) === undefined) {
    await writeRecord(dir, {
      server,
      guid,
      name,
      app_mode: fits?.appmode ?? 'unknown',
      entrypoint: fits === undefined ? null : fits.entrypoint || fits.primary,
      bundle_id: bundle_id ?? null,
      deployed_time: new Date().toISOString(),
    });
    await directories.save(dir);
  }
  store.activate(dir, { server, guid });
  await store.reload(dir);
}
