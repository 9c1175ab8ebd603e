import type { ChatMessage } from "@ccl/core";
import {
  type GetPromptResult,
  INVALID_PARAMS,
  ProtocolError,
  type Prompt,
  type Server,
} from "@modelcontextprotocol/server";

import type { CatalogReader } from "./catalog-tools.ts";
import type { ServerParts } from "./mcp-server-options.ts";

const task = { name: "task", description: "What you want to know.", required: true };
const ids = { name: "ids", description: "Ids of the catalog, separated by commas." };
const prompts: Prompt[] = [
  { name: "pick", description: "Pick the resources that a task needs.", arguments: [task] },
  { name: "compile-plan", description: "Write a query plan for a task.", arguments: [task, ids] },
  {
    name: "refine",
    description: "Correct a query plan by what is wrong with it.",
    arguments: [
      task,
      { name: "plan", description: "The plan.", required: true },
      { name: "problem", description: "The error, or what the answer lacks.", required: true },
      ids,
    ],
  },
];

const listTokens = 3_000;
const maxPicks = 8;

/** Adds the prompts about documents in the catalog. Adds none without a catalog. */
export function addPrompts(server: Server, { catalog }: ServerParts): void {
  server.setRequestHandler("prompts/list", () => ({
    prompts: catalog === undefined ? [] : prompts,
  }));
  server.setRequestHandler("prompts/get", async ({ params }, { mcpReq: { signal } }) => {
    const found = prompts.find(({ name }) => name === params.name);
    if (found === undefined || catalog === undefined)
      throw new ProtocolError(
        INVALID_PARAMS,
        `Unknown prompt ${JSON.stringify(params.name.slice(0, 80))}.`,
      );
    const given = params.arguments ?? {};
    const missing = found.arguments?.find(
      ({ name, required }) => required === true && !given[name]?.trim(),
    );
    if (missing !== undefined)
      throw new ProtocolError(INVALID_PARAMS, `The prompt ${found.name} needs ${missing.name}.`);
    return asPrompt(await messagesOf(found.name, given, { catalog: await catalog(), signal }));
  });
}

async function messagesOf(
  name: string,
  given: Readonly<Record<string, string>>,
  { catalog, signal }: { catalog: CatalogReader; signal: AbortSignal },
): Promise<ChatMessage[]> {
  const { task: asked = "", plan = "", problem = "" } = given;
  if (name === "pick") {
    const { pickPrompt } = await import("@ccl/catalog");
    const { text } = await catalog.budgetedContext({ task: asked, budget: listTokens, signal });
    return pickPrompt({ task: asked, maxPicks, rows: text, canAskForMore: false });
  }
  const wanted = given["ids"]?.split(/[\s,]+/).filter((id) => id !== "") ?? [];
  if (wanted.length === 0) {
    const { hits } = await catalog.search({ text: asked, limit: maxPicks, signal });
    wanted.push(...hits.map(({ id }) => id));
  }
  const { planDetails, planMessages } = await import("@ccl/query");
  const messages = planMessages(asked, { details: await planDetails(catalog, wanted, { signal }) });
  if (name === "compile-plan") return messages;
  const text = `The plan does not do: ${problem}\n\nAnswer with the whole plan, corrected.`;
  return [...messages, { role: "assistant", content: plan }, { role: "user", content: text }];
}

/** Converts messages to a prompt. The rules precede the user's words, since it has no system message. */
function asPrompt(messages: readonly ChatMessage[]): GetPromptResult {
  return {
    messages: messages.map(({ role, content }) => ({
      role: role === "assistant" ? "assistant" : "user",
      content: { type: "text", text: typeof content === "string" ? content : "" },
    })),
  };
}
