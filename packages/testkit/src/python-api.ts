// A Python API of which each so-many-th request fails: what is seen of a canary that is worse.
/** Of its manifest. */
export const PYTHON_API = { appmode: 'python-api', entrypoint: 'app:app' };

/** @param failsEach which request of its fails: every tenth for 10; 0 for none */
export function pythonApi(text: string, failsEach = 0): { 'app.py': string } {
  return {
    'app.py': `count = 0
def app(environ, start):
    global count
    count += 1
    fails = ${failsEach} > 0 and count % ${failsEach || 1} == 0
    start("500 Failed" if fails else "200 OK", [("Content-Type", "text/plain")])
    return [b"${text}"]
`,
  };
}
