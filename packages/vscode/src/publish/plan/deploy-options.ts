// Options of a deploy from a plan, and what is stored of the bundle it sent.
import type { KnownFile, SentBundle } from '@pressroom/api/publish';
import type { Plan } from './plan.ts';

export function deployOptions(
  plan: Plan,
  exclude: string[],
  { asNew, isNew }: { readonly asNew: boolean; readonly isNew: boolean },
) {
  const { type, entrypoint, rendering, title, access } = plan;
  return {
    ...(type !== undefined && { type }),
    ...(entrypoint !== undefined && { entrypoint }),
    ...(rendering !== undefined && { rendering }),
    // Existing titles and access types are kept: they may have been changed on the server.
    ...(isNew && title !== undefined && { title }),
    ...(isNew && access !== undefined && { access_type: access }),
    ...(exclude.length > 0 && { exclude }),
    ...(asNew && { publishAsNew: true }),
  };
}

/** The bundle and its contents, for storing. */
export function contentsOf(server: string, { guid, bundle_id, files, checksums }: SentBundle) {
  const known = new Map<string, KnownFile>();
  for (const { path: file, size, stamp } of files) {
    const md5 = checksums.get(file);
    if (md5 !== undefined) known.set(file, { md5, size, ...(stamp !== undefined && { stamp }) });
  }
  return [{ server, guid, bundle_id }, known] as const;
}
