// Work that nobody waits for, such as that of a command or a button: its failure ends here, in one message.
import { window } from 'vscode';
import { explain } from './explain.ts';

export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    void window.showErrorMessage(explain(error));
  }
}
