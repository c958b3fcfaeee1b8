// One step of a sequence of inputs: keeps what was typed when a check fails, and can go back.
import {
  InputBoxValidationSeverity,
  QuickInputButtons,
  window,
  type QuickInputButton,
  type QuickPickItem,
} from 'vscode';

/** The person went one step back. */
export const BACK = Symbol('back');

interface Step {
  readonly title: string;
  readonly step: number;
  readonly total: number;
}

export interface TextStep extends Step {
  readonly value: string;
  readonly prompt: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  readonly back?: boolean;
  readonly button?: { readonly button: QuickInputButton; readonly press: (value: string) => void };
  /** Answers the value to go on with, or throws what is wrong with it. */
  readonly check: (value: string) => Promise<string>;
  /** What is wrong, as a sentence. */
  readonly explain: (error: unknown) => string;
}

/** Undefined when the person gave up. */
export function askText(options: TextStep): Promise<string | typeof BACK | undefined> {
  const box = window.createInputBox();
  Object.assign(box, {
    title: options.title,
    step: options.step,
    totalSteps: options.total,
    value: options.value,
    prompt: options.prompt,
    placeholder: options.placeholder,
    password: options.password === true,
    ignoreFocusOut: true,
    buttons: [
      ...(options.back === true ? [QuickInputButtons.Back] : []),
      ...(options.button === undefined ? [] : [options.button.button]),
    ],
  });
  return new Promise((resolve) => {
    const accept = async () => {
      if (box.busy) return;
      box.busy = true;
      box.enabled = false;
      try {
        resolve(await options.check(box.value));
        box.dispose();
      } catch (error) {
        box.validationMessage = {
          message: options.explain(error),
          severity: InputBoxValidationSeverity.Error,
        };
        box.enabled = true;
      } finally {
        box.busy = false;
      }
    };
    box.onDidAccept(() => void accept());
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidTriggerButton((button) => {
      if (button !== QuickInputButtons.Back) return options.button?.press(box.value);
      resolve(BACK);
      box.dispose();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}

export interface PickStep<Item> extends Step {
  readonly placeholder: string;
  readonly items: readonly Item[];
  readonly back?: boolean;
}

/** Undefined when the person gave up. */
export function askPick<Item extends QuickPickItem>(
  options: PickStep<Item>,
): Promise<Item | typeof BACK | undefined> {
  const pick = window.createQuickPick<Item>();
  Object.assign(pick, {
    title: options.title,
    step: options.step,
    totalSteps: options.total,
    placeholder: options.placeholder,
    items: options.items,
    matchOnDescription: true,
    ignoreFocusOut: true,
    buttons: options.back === true ? [QuickInputButtons.Back] : [],
  });
  return new Promise((resolve) => {
    const end = (result: Item | typeof BACK | undefined) => {
      resolve(result);
      pick.dispose();
    };
    pick.onDidAccept(() => end(pick.selectedItems[0]));
    pick.onDidTriggerButton(() => end(BACK));
    pick.onDidHide(() => end(undefined));
    pick.show();
  });
}
