// One step of a multi-step input: keeps the input when validation fails, and can go back.
import {
  InputBoxValidationSeverity,
  QuickInputButtons,
  window,
  type QuickInputButton,
  type QuickPickItem,
} from 'vscode';
import { unlinked } from './messages.ts';

/** Back to the previous step. */
export const BACK = Symbol('back');

interface Step {
  readonly title: string;
  readonly step: number;
  readonly total: number;
}

/** A step while it is open, for concurrent work. */
export interface OpenStep {
  /** Aborted when the step ends. */
  readonly signal: AbortSignal;
  /** Shows another prompt and a progress bar; null: the first prompt, without the bar. */
  setPrompt(prompt: string | null): void;
  /** Shows an error. */
  fail(error: unknown): void;
  /** Ends the step with a value. */
  finish(value: string): void;
}

export interface TextStep extends Step {
  readonly value: string;
  readonly prompt: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  readonly back?: boolean;
  readonly button?: { readonly button: QuickInputButton; readonly press: (step: OpenStep) => void };
  /** Replaces validation if the input is empty. */
  readonly empty?: (step: OpenStep) => void;
  /** Returns the value to continue with, or throws why it is invalid. */
  readonly check: (value: string, step: OpenStep) => Promise<string>;
  /** Why it is invalid, as a sentence. */
  readonly explain: (error: unknown) => string;
}

/** Undefined if cancelled. */
export function askText(options: TextStep): Promise<string | typeof BACK | undefined> {
  const box = window.createInputBox();
  Object.assign(box, {
    title: options.title,
    step: options.step,
    totalSteps: options.total,
    value: options.value,
    prompt: unlinked(options.prompt),
    placeholder: options.placeholder,
    password: options.password === true,
    ignoreFocusOut: true,
    buttons: [
      ...(options.back === true ? [QuickInputButtons.Back] : []),
      ...(options.button === undefined ? [] : [options.button.button]),
    ],
  });
  return new Promise((resolve) => {
    const ended = new AbortController();
    let checking = false;
    const step: OpenStep = {
      signal: ended.signal,
      setPrompt(prompt) {
        box.prompt = unlinked(prompt ?? options.prompt);
        box.busy = prompt !== null;
      },
      fail(error) {
        box.validationMessage = {
          message: unlinked(options.explain(error)),
          severity: InputBoxValidationSeverity.Error,
        };
      },
      finish(value) {
        resolve(value);
        box.dispose();
        ended.abort();
      },
    };
    const accept = async () => {
      if (checking) return;
      if (box.value === '' && options.empty) return options.empty(step);
      checking = true;
      const waiting = box.busy;
      box.busy = true;
      box.enabled = false;
      try {
        step.finish(await options.check(box.value, step));
      } catch (error) {
        if (ended.signal.aborted) return;
        step.fail(error);
        box.prompt = unlinked(options.prompt);
        box.enabled = true;
      } finally {
        checking = false;
        box.busy = waiting;
      }
    };
    box.onDidAccept(() => void accept());
    box.onDidChangeValue(() => {
      box.validationMessage = undefined;
    });
    box.onDidTriggerButton((button) => {
      if (button !== QuickInputButtons.Back) return options.button?.press(step);
      resolve(BACK);
      box.dispose();
      ended.abort();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
      ended.abort();
    });
    box.show();
  });
}

export interface PickStep<Item> extends Partial<Step> {
  readonly title: string;
  readonly placeholder: string;
  readonly items: readonly Item[];
  readonly back?: boolean;
}

/** Undefined if cancelled. */
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
