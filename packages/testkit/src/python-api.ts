// A Python API with a failure rate, to test canaries.
/** Metadata of its manifest. */
export const PYTHON_API = { appmode: 'python-api', entrypoint: 'app:app' };

/** @param failsEach interval of failing requests: every tenth for 10; 0 for none */
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
