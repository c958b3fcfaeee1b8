// Registers the tools with the editor: the user confirms each call, after reading what it does.
import {
  l10n,
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  MarkdownString,
  type Disposable,
  type LanguageModelTool,
} from 'vscode';
import type { Actions } from '../actions.ts';
import { mayUseKeys } from '../publish/may-use-keys.ts';
import { directoryOf, nothing, type Prepared, type ToolInput } from './tool.ts';

const PREFIX = 'pressroom_';
const CHANGED =
  'Nothing was done: what would be done now is not what the person confirmed. Call the tool again to ask the person again.';

/** @param tools of the manifest */
export function registerTools(
  tools: readonly { readonly name: string }[],
  actions: () => Promise<Actions>,
): Disposable[] {
  return tools.map(({ name }) => lm.registerTool(name, createTool(name.slice(PREFIX.length), actions)));
}

function createTool(name: string, actions: () => Promise<Actions>): LanguageModelTool<ToolInput> {
  const used = async () => {
    const { tool, toolParts } = await actions();
    return { tool: tool(name), parts: toolParts };
  };
  /** What the user was shown, by input: calls have no id. */
  const shown = new Map<string, Prepared>();

  async function prepare(input: ToolInput): Promise<Prepared> {
    const { tool, parts } = await used();
    const dir = directoryOf(parts.directories, input.folder);
    if (tool.offline === true || mayUseKeys()) return tool.prepare(parts, dir, input);
    return nothing(
      `${tool.title}?`,
      l10n.t('This workspace is in Restricted Mode, so your API keys are not used.'),
    );
  }

  return {
    async prepareInvocation({ input }) {
      const prepared = await prepare(input);
      shown.set(JSON.stringify(input), prepared);
      const { title, lines } = prepared;
      const message = new MarkdownString();
      // As text: file names and a model's words are not markup.
      for (const line of lines) message.appendText(line).appendMarkdown('\n\n');
      return { invocationMessage: `Pressroom: ${title}`, confirmationMessages: { title, message } };
    },
    async invoke({ input }, token) {
      const name = JSON.stringify(input);
      const confirmed = shown.get(name);
      shown.delete(name);
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      // Meanwhile, files, targets and bundles may have changed.
      const now = await prepare(input);
      const isSame = confirmed?.lines.join('\n') === now.lines.join('\n');
      const text = confirmed !== undefined && isSame ? await confirmed.run(abort.signal) : CHANGED;
      return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
    },
  };
}
