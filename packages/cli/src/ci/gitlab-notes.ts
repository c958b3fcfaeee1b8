// Comments on one GitLab merge request, in its terms notes.

const TIMEOUT_MS = 30_000;

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
  readonly body: string;
  readonly author: { readonly id: number };
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

  return {
    async own(isMeant) {
      const user = (await (await call('GET', '/user')).json()) as { id: number };
      let page = '1';
      while (page !== '') {
        const response = await call(
          'GET',
          `${notes}?order_by=created_at&sort=desc&per_page=100&page=${page}`,
        );
        const found = ((await response.json()) as Note[]).find(
          // Anybody may write a similar note.
          ({ author, body }) => author.id === user.id && isMeant(body),
        );
        if (found) return found.id;
        page = response.headers.get('x-next-page') ?? '';
      }
      return null;
    },
    async create(body) {
      await call('POST', notes, body);
    },
    async update(id, body) {
      await call('PUT', `${notes}/${id}`, body);
    },
  };
}
