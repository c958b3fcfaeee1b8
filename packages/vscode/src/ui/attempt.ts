// Runs work that nobody awaits, such as a command or a button; shows its failure as a message.
import { RefusedError } from '@pressroom/api/client';
import { commands, l10n } from 'vscode';
import { explain } from './explain.ts';
import { showErrorMessage } from './messages.ts';

export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof RefusedError && error.status === 401) return offerSignIn(error);
    void showErrorMessage(explain(error));
  }
}

/** A key that was revoked or has expired is not one that is missing: nobody asked for another one before. */
function offerSignIn(error: RefusedError): void {
  const again = l10n.t('Sign In Again');
  void showErrorMessage(explain(error), again).then((pressed) =>
    pressed === again ? commands.executeCommand('pressroom.signIn', error.server) : undefined,
  );
}
