// Which variables must be there before packages are loaded: a process with one of them is not forked.

/** Libraries of the system read these by themselves, when they are loaded: nobody is seen to read them. */
const BEFORE_LOADING =
  /^(?:LD_|R_|PYTHON|LC_|LANG$|LANGUAGE$|TZ$|OMP_|GOMP_|KMP_|MKL_|OPENBLAS_|BLIS_|MALLOC_|ARROW_|CUDA_|GRPC_|SSL_)/;
/** Of the server, which every process has under the same names. */
const OF_SERVER = /^(?:CONNECT_|RSTUDIO_)/;

/**
 * @param reads names that packages read when they were loaded, `*` for all
 * @param env of the process
 * @param common what the prepared process had of it
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
