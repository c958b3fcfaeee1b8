// Receives an uploaded archive: the raw body, or (GA form) a part of a multipart form.
import type { Audit } from '../audit/record.ts';
import { loadContent } from '../content/commands.ts';
import type { OldVersions } from '../deploys/sites/old-versions.ts';
import type { ApiRequest } from '../http/request.ts';
import type { Config } from '../main/config/settings.ts';
import type { BlobStore } from '../platform/blobs/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';
import { enforceRetention, uploadBundle } from './commands.ts';
import { reportedCommit } from './commit.ts';
import { formOf } from './multipart-archive.ts';
import type { BundleRow } from './store.ts';

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly blobs: BlobStore;
  readonly oldVersions: OldVersions;
}

/** @throws ApiError 125 and 126 only if Content-Length was sent (interop.md). */
export async function receiveUpload(
  parts: Parts,
  caller: Caller,
  guid: string,
  { raw, signal, again }: Pick<ApiRequest<'uploadContentBundleGa'>, 'raw' | 'signal' | 'again'>,
): Promise<BundleRow> {
  const checksum = raw.headers['x-content-checksum'] as string | undefined;
  const form = formOf(raw);
  const length = raw.headers['content-length'];
  const upload = form
    ? {
        source: form.archive,
        checksum,
        signal,
        again,
        reported: async () => reportedCommit((await form.metadata()) ?? ''),
      }
    : {
        source: raw,
        checksum,
        signal,
        again,
        declaredLength: length === undefined ? undefined : Number(length),
      };
  const bundle = await uploadBundle(parts, caller, guid, upload);
  const { content } = await loadContent(parts.storage.db, guid, caller, 'uploadBundle');
  await enforceRetention(parts, content, caller);
  return bundle;
}
