// Runs work that nobody awaits, such as a command or a button; shows its failure as a message.
import { window } from 'vscode';
import { explain } from './explain.ts';

export async function attempt(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    void window.showErrorMessage(explain(error));
  }
}
