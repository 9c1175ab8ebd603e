import type { ChatMessage, Part, ToolCall, ToolDefinition, ToolDescription } from "@ccl/core";
import type { ToolBridge } from "@ccl/context-compiler/tool-interrupt";
import { toBase64 } from "@ccl/core/json";

import { refuse } from "../operations-error.ts";
import type { TurnTool } from "./engine-options.ts";
import type { RunContext } from "./run-context.ts";

/** The tools available in one turn. */
export interface TurnTools {
  descriptions: ToolDescription[];
  /** Returns the result as a message for the model, even if the tool fails. Rejects if the run is aborted. */
  call(toolCall: ToolCall): Promise<ChatMessage>;
}

/**
 * Opens the tools that the turn may call, using the tool calls of @ccl/context-compiler. Returns undefined if there are
 * none.
 */
export async function openTurnTools(run: RunContext): Promise<TurnTools | undefined> {
  const { tools, clock } = run.services;
  const { signal, turn } = run;
  if (tools.length === 0 || turn.tools?.length === 0) return undefined;
  const [{ createSession, eventMessage }, { createToolInterruptHandler, functionToolBridge }] =
    await Promise.all([
      import("@ccl/context-compiler"),
      import("@ccl/context-compiler/tool-interrupt"),
    ]);
  const functions = tools.filter(isFunction);
  const bridges = tools.filter((tool): tool is ToolBridge => !isFunction(tool));
  const bridge = joined([functionToolBridge(functions), ...bridges], turn.tools);
  const handler = createToolInterruptHandler({ session: createSession({ clock }), bridge, clock });
  const found = await handler.tools({ signal });
  return {
    descriptions: found.map(({ name, description = "", inputSchema, outputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema ?? { type: "object" },
      outputSchema,
    })),
    async call({ id: callId, name, arguments: args }) {
      const event = await handler.call(name, args, { callId, signal });
      const message = eventMessage(event);
      return asJson(message ?? { role: "tool", content: "", toolCallId: callId });
    },
  };
}

function isFunction(tool: TurnTool): tool is ToolDefinition<never> {
  return "execute" in tool;
}

/** Combines the named tools of all bridges into one bridge. For duplicate names, the first bridge wins. */
function joined(bridges: readonly ToolBridge[], names: readonly string[] | undefined): ToolBridge {
  const owners = new Map<string, ToolBridge>();
  return {
    async tools(options) {
      const lists = await Promise.all(bridges.map((bridge) => bridge.tools(options)));
      owners.clear();
      const all = lists.flatMap((list, index) => list.map((tool) => ({ tool, index })));
      return all.flatMap(({ tool, index }) => {
        const owner = bridges[index];
        if (owner === undefined || owners.has(tool.name)) return [];
        if (names !== undefined && !names.includes(tool.name)) return [];
        owners.set(tool.name, owner);
        return [tool];
      });
    },
    call(name, input, call) {
      const owner = owners.get(name);
      if (owner !== undefined) return owner.call(name, input, call);
      refuse(`There is no tool ${JSON.stringify(name)}.`);
    },
  };
}

/** Converts a message for the journal, with bytes as data URLs. */
function asJson(message: ChatMessage): ChatMessage {
  const { content } = message;
  return typeof content === "string" ? message : { ...message, content: content.map(withoutBytes) };
}

function withoutBytes(part: Part): Part {
  if ((part.type !== "image" && part.type !== "file") || part.data === undefined) return part;
  const { data, ...rest } = part;
  return { ...rest, url: `data:${part.mimeType};base64,${toBase64(data)}` };
}
