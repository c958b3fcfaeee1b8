// Authenticates one account with PAM, in a separate process: a refusal blocks for two seconds.
// Input: {"service","username","password"} as JSON. Output: {"account"}, or {"refused","isGuess"} or {"failed"} with the
// reason.
import { readFileSync, writeSync } from 'node:fs';
import koffi from 'koffi';

const SUCCESS = 0;
const BUFFER_ERROR = 5;
const CONVERSATION_ERROR = 19;
const PROMPT_ECHO_OFF = 1;
const PROMPT_ECHO_ON = 2;
const ITEM_USER = 2;
/** PAM_SILENT | PAM_DISALLOW_NULL_AUTHTOK. */
const FLAGS = 0x8000 | 0x0001;
/**
 * Results that concern the account or the password, not this machine. 4 is PAM_SYSTEM_ERR: with it, pam_exec reports a
 * program that refused the password, and guesses must be counted.
 */
const REFUSALS = new Set([4, 6, 7, 10, 11, 12, 13, 27]);
/** Of these: a wrong password, an unknown account, and too many of them. */
const GUESSES = new Set([7, 10, 11]);

const pam = koffi.load('libpam.so.0');
const libc = koffi.load('libc.so.6');
const calloc = libc.func('void *calloc(size_t, size_t)');
const strdup = libc.func('void *strdup(const char *)');
const Conversation = koffi.proto('int Conversation(int, void *, void *, void *)');
const Message = koffi.struct('Message', { style: 'int', text: 'const char *' });
const Response = koffi.struct('Response', { text: 'void *', code: 'int' });
koffi.struct('Converser', { talk: koffi.pointer(Conversation), data: 'void *' });
const start = pam.func('int pam_start(const char *, const char *, const Converser *, _Out_ void **)');
const authenticate = pam.func('int pam_authenticate(void *, int)');
const checkAccount = pam.func('int pam_acct_mgmt(void *, int)');
const getItem = pam.func('int pam_get_item(void *, int, _Out_ void **)');
const end = pam.func('int pam_end(void *, int)');
const explain = pam.func('const char *pam_strerror(void *, int)');

function ask({ service, username, password }) {
  const talk = koffi.register((count, messages, responses) => {
    const answers = calloc(count, koffi.sizeof(Response));
    if (answers === null) return BUFFER_ERROR;
    for (let i = 0; i < count; i += 1) {
      const { style } = koffi.decode(koffi.decode(messages, i * koffi.sizeof('void *'), 'void *'), Message);
      if (style !== PROMPT_ECHO_OFF && style !== PROMPT_ECHO_ON) continue;
      const text = style === PROMPT_ECHO_OFF ? password : username;
      koffi.encode(answers, i * koffi.sizeof(Response), Response, { text: strdup(text), code: 0 });
    }
    koffi.encode(responses, 'void *', answers);
    return SUCCESS;
  }, koffi.pointer(Conversation));
  const out = [null];
  const started = start(service, username, { talk, data: null }, out);
  if (started !== SUCCESS) return { failed: explain(null, started) };
  const [handle] = out;
  const known = authenticate(handle, FLAGS);
  const result = known === SUCCESS ? checkAccount(handle, FLAGS) : known;
  const answer = result === SUCCESS ? accountOf(handle) : refusalOf(handle, result, GUESSES.has(known));
  end(handle, result);
  return answer;
}

/** PAM's user name, which a module may have changed. */
function accountOf(handle) {
  const item = [null];
  const result = getItem(handle, ITEM_USER, item);
  return result === SUCCESS
    ? { account: koffi.decode(item[0], 'char', -1) }
    : { failed: explain(handle, result) };
}

function refusalOf(handle, result, isGuess) {
  const reason = result === CONVERSATION_ERROR ? 'PAM asked for something else' : explain(handle, result);
  return REFUSALS.has(result) ? { refused: reason, isGuess } : { failed: reason };
}

writeSync(1, JSON.stringify(ask(JSON.parse(readFileSync(0, 'utf8')))));
