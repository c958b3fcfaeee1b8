// Which names the variables of content may have: whatever runs before content is confined must not take one for its own.

/** What a shell can name; nothing that could hold a function, a line end or a space. */
const FORM = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

/** Loaders, the C library and shells obey these, in any spelling that somebody may have thought of. */
const OF_THE_SYSTEM = [
  ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'IFS', 'ENV', 'CDPATH', 'GLOBIGNORE'],
  ['BASH_\\w*', 'BASHOPTS', 'SHELLOPTS', 'PS[0-4]', 'PROMPT_COMMAND', 'POSIXLY_CORRECT', '_POSIX2_VERSION'],
  ['LD_\\w*', '_RLD\\w*', 'DYLD_\\w*', 'LIBPATH', 'SHLIB_PATH', 'GLIBC_TUNABLES', 'MALLOC_\\w*'],
  ['GCONV_PATH', 'GETCONF_DIR', 'LOCPATH', 'NLSPATH', 'HOSTALIASES', 'LOCALDOMAIN', 'RES_OPTIONS'],
  ['RESOLV_HOST_CONF', 'NODE_OPTIONS', 'R_HOME'],
].flat();
/** The server sets these itself. */
const OF_THE_SERVER = ['CONNECT_\\w*', 'RSTUDIO_\\w*', 'RSC_\\w*', 'PRESSROOM_\\w*'];

const PROHIBITED = new RegExp(`^(?:${[...OF_THE_SYSTEM, ...OF_THE_SERVER].join('|')})$`, 'i');

export function isVariableName(name: string): boolean {
  return whyNoVariable(name) === null;
}

/** In words that follow its name; null where it is one. */
export function whyNoVariable(name: string): string | null {
  if (!FORM.test(name))
    return 'is prohibited: names have letters from A to Z, digits and _, and do not begin with a digit';
  return PROHIBITED.test(name) ? 'is prohibited: it is kept for the system or the server' : null;
}
