import type { ArtifactStore } from "@ccl/artifact-store";
import { compress } from "@ccl/compress";
import {
  createArtifactTools,
  createContextCompiler,
  createSession,
  runCompiled,
} from "@ccl/context-compiler";
import type { LanguageModel, TokenCounter, ToolDefinition } from "@ccl/core";
import { arrayAt, type JsonRecord } from "@ccl/core/json";

import { runTool, type ServerTool, type ServerToolCall, storedLine } from "./server-tool.ts";
import type { Opener } from "./source.ts";

/** Model, tools and store for a read-only task. */
export interface OrchestrateOptions {
  model: Opener<LanguageModel>;
  /** Read-only tools that it may call besides those for its own artifacts. */
  tools: readonly ServerTool[];
  store: Opener<ArtifactStore>;
  counter: Opener<TokenCounter>;
}

const maxSteps = 20;
const budget = 16_000;
const answerTokens = 2_000;
const systemPrompt =
  "Work out the task with the tools, which only read. Large results are shortened; search_artifact and read_artifact give the rest. Answer with what you found and where it stands.";

/** Runs `orchestrate_compiled`. */
export async function orchestrate(
  input: JsonRecord,
  call: ServerToolCall,
  { model: openModel, tools, store: openStore, counter: openCounter }: OrchestrateOptions,
): Promise<string> {
  const task = String(input["task"]);
  const [store, model, counter] = await Promise.all([openStore(), openModel(), openCounter()]);
  const session = createSession({ artifactStore: store, counter });
  let done = 0;
  const { text, finishReason } = await runCompiled({
    session,
    compiler: createContextCompiler({ counter }),
    model,
    tools: [
      ...tools.map((tool) => asFunction(tool, call)),
      ...createArtifactTools({ session, counter }),
    ],
    budget,
    systemPrompt,
    input: task,
    maxSteps,
    onStep: ({ toolCalls }) =>
      call.progress(++done, maxSteps, toolCalls.map(({ name }) => name).join(", ")),
    signal: call.signal,
  });
  const shown = compress(text, { budget: answerTokens, query: task, counter });
  const lines = [shown.text];
  if (!shown.isLossless) {
    const kept = { source: model.modelId, mimeType: "text/plain", sessionId: call.sessionId };
    lines.unshift(storedLine(await store.store(text, kept), shown));
  }
  if (finishReason === "step_limit")
    lines.push(`[the model did not finish within ${maxSteps} calls; ask for less]`);
  for (const { data } of session.eventLog.filter(["artifact_stored"]))
    lines.push(`[artifact ${data.artifactId.slice(0, 12)}: ${data.source}]`);
  return lines.join("\n");
}

function asFunction(tool: ServerTool, call: ServerToolCall): ToolDefinition<never> {
  const { name, description = "", inputSchema } = tool;
  return {
    name,
    description,
    inputSchema,
    async execute(input: JsonRecord, { signal = call.signal }) {
      const { content, isError } = await runTool(tool, input, { ...call, signal, canAsk: false });
      return { content: arrayAt({ content }, "content"), isError };
    },
  };
}
