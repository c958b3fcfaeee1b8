// Error messages for what git prints.
import { errors, type ApiError } from '@pressroom/api/contract';
import type { Remote } from './run-git.ts';

/** The first match determines the message. Git's own output is not included: the remote may have written it. */
export function gitFailure(lines: readonly string[], { url, branch, token, ssh }: Remote): ApiError {
  const text = lines.join('\n');
  const is = (pattern: RegExp) => pattern.test(text);
  if (is(/invalid index-pack output|File too large|signal 25|file size limit/i))
    return errors.internal({
      message: 'too large: the commit has more than Git.MaxRepositorySize allows, or arrives incomplete',
    });
  if (is(/couldn't find remote ref|could not find remote branch|Remote branch .* not found/i))
    return errors.notFound({ message: `no such branch: ${url} has no branch ${branch}` });
  if (
    ssh !== null &&
    is(/Host key verification failed|HOST IDENTIFICATION HAS CHANGED|No .* host key is known/i)
  )
    return errors.internal({
      message: `host key changed: ${new URL(url).host} does not have the key that was trusted. Nothing was read. If its operator announced another key, trust that one`,
    });
  if (ssh !== null && is(/Permission denied \(|Load key|Too many authentication failures/i))
    return errors.internal({
      message: `authentication: ${url} refuses the deploy key; enter the public key there`,
    });
  if (
    ssh !== null &&
    is(/Repository not found|does not appear to be a git repository|not a git repository|not exist/i)
  )
    return errors.notFound({
      message: `no such repository: ${url} is not a Git repository that the deploy key reads`,
    });
  if (is(/Authentication failed|could not read (?:Username|Password)|error: 40[13]/i)) {
    const what = token === null ? 'it asks for a token' : 'it refuses the token';
    return errors.internal({ message: `authentication: ${url} cannot be read, ${what}` });
  }
  if (is(/unable to update url base from redirection|redirect|error: 30\d/i))
    return errors.internal({ message: `redirected: ${url} sends git elsewhere; connect that address` });
  if (is(/repository .* not found|error: 404|not valid: is this a git repository/i))
    return errors.notFound({ message: `no such repository: ${url} is not a Git repository` });
  if (
    is(
      /Could not resolve host|Failed to connect|Connection (?:refused|reset|timed out|closed)|kex_exchange|No route|SSL|error: 5\d\d/i,
    )
  )
    return errors.internal({ message: `unreachable: ${url} does not respond as a Git server` });
  if (is(/dumb http transport/i))
    return errors.internal({ message: `unreachable: ${url} serves files only, without Git's smart HTTP` });
  return errors.internal({ message: `git could not read ${url}` });
}
