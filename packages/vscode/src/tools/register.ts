// Registers the tools with the editor: the user confirms each call, after reading what it does.
import {
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  MarkdownString,
  type Disposable,
  type LanguageModelTool,
} from 'vscode';
import type { Actions } from '../actions.ts';
import { mayUseKeys } from '../publish/may-use-keys.ts';
import { directoryOf, type ToolInput } from './tool.ts';

const PREFIX = 'pressroom_';

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
  return {
    async prepareInvocation({ input }) {
      const { tool, parts } = await used();
      const dir = directoryOf(parts.directories, input.folder);
      const { title, lines } = await tool.confirm(parts, dir, input);
      const message = new MarkdownString();
      // As text: file names and a model's words are not markup.
      for (const line of lines) message.appendText(line).appendMarkdown('\n\n');
      return { invocationMessage: `Pressroom: ${title}`, confirmationMessages: { title, message } };
    },
    async invoke({ input }, token) {
      const { tool, parts } = await used();
      const dir = directoryOf(parts.directories, input.folder);
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      const text =
        tool.offline === true || mayUseKeys()
          ? await tool.run(parts, dir, input, abort.signal)
          : `${dir} was not published or changed: the workspace is in Restricted Mode, where no key of the person is used.`;
      return new LanguageModelToolResult([new LanguageModelTextPart(text)]);
    },
  };
}
