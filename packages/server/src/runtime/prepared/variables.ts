// Decides which variables must be set before packages are loaded: processes with one of them are not forked.

/** Read by system libraries when they are loaded, which cannot be observed. */
const BEFORE_LOADING =
  /^(?:LD_|R_|PYTHON|LC_|LANG$|LANGUAGE$|TZ$|OMP_|GOMP_|KMP_|MKL_|OPENBLAS_|BLIS_|MALLOC_|ARROW_|CUDA_|GRPC_|SSL_)/;
/** The server's own: every process has them under the same names. */
const OF_SERVER = /^(?:CONNECT_|RSTUDIO_)/;

/**
 * @param reads names that packages read while loading, `*` for all
 * @param env of the process
 * @param common variables that the prepared process had
 */
export function readsOwn(
  reads: ReadonlySet<string>,
  env: Readonly<Record<string, string>>,
  common: Readonly<Record<string, string>>,
): boolean {
  return Object.keys(env)
    .filter((name) => env[name] !== common[name])
    .some(
      (name) => BEFORE_LOADING.test(name) || reads.has(name) || (reads.has('*') && !OF_SERVER.test(name)),
    );
}
