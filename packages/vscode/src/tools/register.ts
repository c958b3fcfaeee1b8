// Registers the tools with the editor: a person confirms each call, in words that say what happens.
import {
  LanguageModelTextPart,
  LanguageModelToolResult,
  lm,
  MarkdownString,
  type Disposable,
  type LanguageModelTool,
} from 'vscode';
import { mayUseKeys } from '../publish/may-use-keys.ts';
import { TOOLS } from './table.ts';
import { directoryOf, type Tool, type ToolInput, type ToolParts } from './tool.ts';

export const TOOL_PREFIX = 'pressroom_';

export function registerTools(parts: ToolParts): Disposable[] {
  return Object.entries(TOOLS).map(([name, tool]) =>
    lm.registerTool(TOOL_PREFIX + name, createTool(tool, parts)),
  );
}

function createTool(tool: Tool, parts: ToolParts): LanguageModelTool<ToolInput> {
  return {
    async prepareInvocation({ input }) {
      const dir = directoryOf(parts.directories, input.folder);
      const { title, lines } = await tool.confirm(parts, dir, input);
      const message = new MarkdownString();
      // As text: file names and what a model wrote are no markup.
      for (const line of lines) message.appendText(line).appendMarkdown('\n\n');
      return { invocationMessage: `Pressroom: ${title}`, confirmationMessages: { title, message } };
    },
    async invoke({ input }, token) {
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
