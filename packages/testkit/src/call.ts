// One HTTP request of a test, with fetch only.

export interface CallOptions {
  readonly body?: unknown;
  /** Sent unchanged, instead of a JSON body. */
  readonly raw?: string | Buffer | ReadableStream;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallResponse {
  readonly status: number;
  // A test states what it expects of the body; the compiler need not know it too.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export type Call = (method: string, path: string, options?: CallOptions) => Promise<CallResponse>;

/**
 * @param url called for each request: a restarted server has another.
 * @param key null sends no credentials. Paths are relative to `/__api__`, unless they start with `//`.
 */
export function caller(url: () => string, key: string | null): Call {
  return async (method, path, { body, raw, headers } = {}) => {
    const target = path.startsWith('//') ? url() + path.slice(1) : `${url()}/__api__${path}`;
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(target, {
      method,
      redirect: 'manual',
      headers: { ...(key !== null && { Authorization: `Key ${key}` }), ...headers },
      ...(payload !== undefined && { body: payload as string, duplex: 'half' as const }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const value: unknown = isJson ? JSON.parse(bytes.toString()) : undefined;
    return { status: response.status, body: value, headers: response.headers, bytes };
  };
}
