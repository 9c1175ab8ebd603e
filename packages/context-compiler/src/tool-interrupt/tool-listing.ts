import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { stringAt } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { BridgedTool, ToolBridge } from "./tool-bridge.ts";

/** Lists a bridge's tools once, and shares the result among all callers. */
interface ToolListing {
  /**
   * Returns the tools.
   * @throws ContextCompilerError `aborted` as soon as the signal is aborted, or any error of the bridge
   */
  tools(signal?: AbortSignal): Promise<readonly BridgedTool[]>;
  /**
   * Finds a tool. If the last listing lacks the name, lists the tools again. Returns all tools if the name is still
   * missing.
   */
  find(name: string, signal: AbortSignal): Promise<BridgedTool | readonly BridgedTool[]>;
}

/** One listing by the bridge. */
interface Listing {
  answer: Promise<readonly BridgedTool[]>;
  controller: AbortController;
  waiting: number;
}

/**
 * Creates a listing of a bridge's tools. A caller that gives up does not cancel the listing for others. The listing is
 * cancelled once no caller is waiting. Later callers never join a listing that a caller gave up on, since it may hang.
 */
export function createToolListing(bridge: ToolBridge): ToolListing {
  let last: Listing | undefined;

  const forget = (list: Listing): void => {
    if (last === list) last = undefined;
  };
  const startListing = (): Listing => {
    const controller = new AbortController();
    const list: Listing = { answer: listTools(bridge, controller.signal), controller, waiting: 0 };
    list.answer.catch(() => forget(list));
    return (last = list);
  };
  const tools = async (
    signal: AbortSignal | undefined,
    isFresh = false,
  ): Promise<readonly BridgedTool[]> => {
    throwIfAborted(signal, ContextCompilerError);
    const list = isFresh || last === undefined ? startListing() : last;
    list.waiting += 1;
    try {
      return await untilAborted(list.answer, signal, ContextCompilerError);
    } finally {
      list.waiting -= 1;
      if (signal?.aborted === true) {
        forget(list);
        if (list.waiting === 0) list.controller.abort(signal.reason);
      }
    }
  };
  return {
    tools: (signal) => tools(signal),
    async find(name, signal) {
      const hasName = (tool: BridgedTool): boolean => tool.name === name;
      const known = await tools(signal);
      const found = known.find(hasName);
      if (found !== undefined) return found;
      const fresh = await tools(signal, true);
      return fresh.find(hasName) ?? fresh;
    },
  };
}

async function listTools(bridge: ToolBridge, signal: AbortSignal): Promise<readonly BridgedTool[]> {
  const answer: unknown = await bridge.tools({ signal });
  if (isToolList(answer)) return answer;
  throw new ContextCompilerError(
    "invalid_options",
    "A tool bridge lists tools as [{ name, ... }].",
  );
}

function isToolList(answer: unknown): answer is readonly BridgedTool[] {
  return Array.isArray(answer) && answer.every((tool) => stringAt(tool, "name") !== undefined);
}
