// Runs work that nobody awaits, such as a command or a button; shows its failure as a message.
import { explain } from './explain.ts';
import { showErrorMessage } from './messages.ts';

export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    void showErrorMessage(explain(error));
  }
}
