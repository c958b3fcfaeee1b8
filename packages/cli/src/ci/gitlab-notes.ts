// Comments on one GitLab merge request, in its terms notes.

const TIMEOUT_MS = 30_000;
const NOT_GITLAB = 'GitLab did not respond as GitLab does.';

export interface Place {
  /** Address of the API, version 4. */
  readonly api: string;
  readonly project: string;
  /** Number of the merge request within its project. */
  readonly request: string;
  /** An access token with the scope `api`: the token of a job may not write notes. */
  readonly token: string;
}

interface Note {
  readonly id: number;
  readonly body: string | null;
  /** Null for an account that is gone. */
  readonly author: { readonly id: number } | null;
}

export interface Notes {
  /** Id of the newest matching note by the token's user; null if there is none. */
  own(isMeant: (body: string) => boolean): Promise<number | null>;
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
}

/** Its methods throw Error if GitLab refuses or does not respond. */
export function openNotes({ api, project, request, token }: Place, signal: AbortSignal): Notes {
  const notes = `/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(request)}/notes`;

  async function call(method: string, path: string, body?: string): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(api + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify({ body }) }),
      // The token must not be sent to another address.
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    }).catch(({ name, cause }: Error & { cause?: { code?: string } }) => {
      signal.throwIfAborted();
      throw new Error(`GitLab did not respond: ${cause?.code ?? name}`);
    });
    if (!response.ok) throw new Error(`GitLab refused the comment with ${response.status}.`);
    return response;
  }

  /** @throws Error for anything but JSON, such as a page to sign in */
  async function read(path: string): Promise<{ value: unknown; next: number }> {
    const response = await call('GET', path);
    const text = await response.text();
    try {
      return { value: JSON.parse(text), next: Number(response.headers.get('x-next-page') ?? 0) };
    } catch {
      throw new Error(NOT_GITLAB);
    }
  }

  return {
    async own(isMeant) {
      const user = (await read('/user')).value as { id?: number } | null;
      let page = 1;
      for (;;) {
        const { value, next } = await read(
          `${notes}?order_by=created_at&sort=desc&per_page=100&page=${page}`,
        );
        if (!Array.isArray(value) || typeof user?.id !== 'number') throw new Error(NOT_GITLAB);
        const found = (value as Note[]).find(
          // Anybody may write a similar note.
          ({ author, body }) => author?.id === user.id && isMeant(body ?? ''),
        );
        if (found) return found.id;
        if (!(next > page)) return null;
        page = next;
      }
    },
    async create(body) {
      await call('POST', notes, body);
    },
    async update(id, body) {
      await call('PUT', `${notes}/${id}`, body);
    },
  };
}
