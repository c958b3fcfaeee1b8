// Messages and progress in the editor, which turns Markdown links in them into links, and runs a command that such a
// link names: names of folders, records of a repository and responses of servers are untrusted.
import { window } from 'vscode';

/** Text that the editor shows without links. */
export function unlinked(text: string): string {
  return text.replaceAll(/\]\((?=\w+:)/g, '] (');
}

type Name = 'showInformationMessage' | 'showWarningMessage' | 'showErrorMessage';
type Show = (text: string, ...rest: unknown[]) => unknown;

function plain<N extends Name>(name: N): (typeof window)[N] {
  const show: Show = (text, ...rest) => (window[name] as Show)(unlinked(text), ...rest);
  return show as (typeof window)[N];
}

export const showInformationMessage = plain('showInformationMessage');
export const showWarningMessage = plain('showWarningMessage');
export const showErrorMessage = plain('showErrorMessage');

/** Asks in a dialog. @param detail what follows, in sentences @returns whether the button was pressed */
export async function confirm(question: string, button: string, detail?: string): Promise<boolean> {
  const options = { modal: true, ...(detail !== undefined && { detail }) };
  return (await showWarningMessage(question, options, button)) === button;
}

/** Like the editor's, for notifications. */
export const withProgress: (typeof window)['withProgress'] = (options, task) =>
  window.withProgress(
    { ...options, ...(options.title !== undefined && { title: unlinked(options.title) }) },
    (progress, token) => {
      const report: typeof progress.report = (value) =>
        progress.report({
          ...value,
          ...(value.message !== undefined && { message: unlinked(value.message) }),
        });
      return task({ report }, token);
    },
  );
