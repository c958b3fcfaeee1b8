// Methods that upload files.
import type { Workspace } from '../workspace.ts';
import { type Checks, type Methods, Refusal } from './checks.ts';

export function filesMethods(space: Workspace, { channelOf }: Checks, base: () => string): Methods {
  return {
    'files.getUploadURLExternal': (args) => {
      const id = space.nextId('F');
      space.files.set(id, {
        id,
        name: String(args['filename']),
        bytes: Buffer.alloc(0),
        channel: null,
        thread: null,
      });
      return { upload_url: `${base()}/upload/${id}`, file_id: id };
    },
    'files.completeUploadExternal': (args) => {
      const files = (args['files'] ?? []) as { id: string; title?: string }[];
      for (const { id, title } of files) {
        const file = space.files.get(id);
        if (!file) throw new Refusal('file_not_found');
        if (args['channel_id'] === undefined) continue;
        const channel = channelOf(args);
        const thread = args['thread_ts'] as string | undefined;
        file.channel = channel;
        file.thread = thread ?? null;
        space.messages.push({
          ts: space.nextTs(),
          channel,
          user: space.bot,
          text: '',
          blocks: [],
          edited: 0,
          files: [{ id, name: file.name, title: title ?? file.name }],
          ...(thread !== undefined && { thread_ts: thread }),
        });
      }
      return { files: files.map(({ id, title }) => ({ id, title })) };
    },
  };
}
