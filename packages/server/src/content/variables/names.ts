// Rules for names of content variables: none may affect the programs that run before content is confined.

/** Names that a shell accepts: no functions, line ends or spaces. */
const FORM = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

/** Read by loaders, the C library and shells; in any case of letters. */
const OF_THE_SYSTEM = [
  ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'IFS', 'ENV', 'CDPATH', 'GLOBIGNORE'],
  ['BASH_\\w*', 'BASHOPTS', 'SHELLOPTS', 'PS[0-4]', 'PROMPT_COMMAND', 'POSIXLY_CORRECT', '_POSIX2_VERSION'],
  ['LD_\\w*', '_RLD\\w*', 'DYLD_\\w*', 'LIBPATH', 'SHLIB_PATH', 'GLIBC_TUNABLES', 'MALLOC_\\w*'],
  ['GCONV_PATH', 'GETCONF_DIR', 'LOCPATH', 'NLSPATH', 'HOSTALIASES', 'LOCALDOMAIN', 'RES_OPTIONS'],
  ['RESOLV_HOST_CONF', 'NODE_OPTIONS', 'R_HOME'],
].flat();
/** Set by the server itself. Only CONNECT_API_KEY may be another: a key of the owner's that can do more. */
const OF_THE_SERVER = [
  'CONNECT_(?!API_KEY$)\\w*',
  'RSTUDIO_\\w*',
  'POSIT_PRODUCT',
  'RSC_\\w*',
  'PRESSROOM_\\w*',
];

const PROHIBITED = new RegExp(`^(?:${[...OF_THE_SYSTEM, ...OF_THE_SERVER].join('|')})$`, 'i');

export function isVariableName(name: string): boolean {
  return whyNoVariable(name) === null;
}

/** Completes a sentence that starts with the name; null if the name is allowed. */
export function whyNoVariable(name: string): string | null {
  if (!FORM.test(name))
    return 'is prohibited: names have letters from A to Z, digits and _, and do not begin with a digit';
  return PROHIBITED.test(name) ? 'is prohibited: it is kept for the system or the server' : null;
}
