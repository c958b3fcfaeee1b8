// A Python API with programmable answers, for tests of the runtime: without a framework, so that it starts fast.
import type { Files } from '@pressroom/testkit';

/** Metadata of a manifest. */
export const ASGI = { appmode: 'python-fastapi', entrypoint: 'app:app' };
export const WSGI = { appmode: 'python-api', entrypoint: 'app:app' };

/** An ASGI application whose paths run the given Python: `answer` is returned as JSON. */
export function asgi(paths: Readonly<Record<string, string>>, before = ''): Files {
  const branches = Object.entries(paths).map(
    ([path, code]) => `        if path == ${JSON.stringify(path)}:\n${indent(code, 12)}`,
  );
  return {
    'app.py': `
import asyncio, json, os, signal, sys, time

# Tells processes apart: each has the same pid in its own namespace.
STARTED = time.time_ns() % 2**50
${before}
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    # With the root path before it, or without, in older versions of uvicorn.
    path = scope["path"].removeprefix(scope.get("root_path", "")) or "/"
    headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text == "STARTED":
                await send({"type": "websocket.send", "text": str(STARTED)})
            elif text is not None:
                await send({"type": "websocket.send", "text": text})
            else:
                await send({"type": "websocket.send", "bytes": message["bytes"]})
    answer = None
    status = 200
    try:
        pass
${branches.join('\n')}
    except Exception as error:
        answer = {"error": type(error).__name__ + ": " + str(error)}
    body = json.dumps(answer).encode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json")]})
    await send({"type": "http.response.body", "body": body})
`,
  };
}

function indent(code: string, by: number): string {
  return code
    .trim()
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n');
}
