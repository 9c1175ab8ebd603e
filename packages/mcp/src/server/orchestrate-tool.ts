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

import { dataResult, runTool, type ServerTool, type ServerToolCall } from "./server-tool.ts";
import { storedLine } from "./stored-line.ts";

/** What a model works with. */
export interface OrchestrateOptions {
  model: LanguageModel;
  /** What it may call beside the tools for its own artifacts; none of them writes. */
  tools: readonly ServerTool[];
  store: ArtifactStore;
  counter: TokenCounter;
}

const maxSteps = 20;
const budget = 16_000;
const answerTokens = 2_000;
const systemPrompt =
  "Work out the task with the tools, which only read. Large results are shortened; search_artifact and read_artifact give the rest. Answer with what you found and where it stands.";

/** `orchestrate_compiled`: another model does the reading, and its client gets the answer with handles of what was read. */
export function orchestrateTool({ model, tools, store, counter }: OrchestrateOptions): ServerTool {
  return {
    name: "orchestrate_compiled",
    description: "Lets another model work out a task with these tools.",
    inputSchema: {
      type: "object",
      properties: {
        task: { type: "string" },
      },
      required: ["task"],
    },
    outputSchema: { type: "object", properties: { artifacts: { type: "array" } } },
    annotations: { readOnlyHint: true },
    async run(input, call) {
      const task = String(input["task"]);
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
      const artifacts = session.eventLog
        .filter(["artifact_stored"])
        .map(({ data: { artifactId, source, sizeBytes } }) => ({ artifactId, source, sizeBytes }));
      const shown = compress(text, { budget: answerTokens, query: task, counter });
      const lines = shown.isLossless
        ? [shown.text]
        : [
            storedLine(
              await store.store(text, { source: model.modelId, mimeType: "text/plain" }),
              shown,
            ),
            shown.text,
          ];
      if (finishReason === "step_limit")
        lines.push(`[${maxSteps} calls of the model did not suffice; ask for less]`);
      for (const { artifactId, source } of artifacts)
        lines.push(`[artifact ${artifactId.slice(0, 12)}: ${source}]`);
      return dataResult(lines.join("\n"), { artifacts });
    },
  };
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
