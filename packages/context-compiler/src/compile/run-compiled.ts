import {
  type FinishReason,
  type LanguageModel,
  LanguageModelError,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
  type ModelUsage,
  type ToolCall,
  type ToolDefinition,
  type ToolDescription,
} from "@ccl/core";
import { isRecord } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { Session } from "../session/session.ts";
import type { ToolInterruptHandler } from "../tool-interrupt/create-tool-interrupt-handler.ts";
import type { BridgedTool } from "../tool-interrupt/tool-bridge.ts";
import type { ContextCompiler } from "./create-context-compiler.ts";
import { usageEvent } from "./reported-usage.ts";
import type { WorkingContext } from "./working-context.ts";

/** Options of `runCompiled`. */
export interface RunCompiledOptions {
  session: Session;
  compiler: ContextCompiler;
  model: LanguageModel;
  /** Functions of this process, or a handler for tools that run elsewhere. */
  tools?: readonly ToolDefinition<never>[] | ToolInterruptHandler | undefined;
  /** Token limit for each prompt. */
  budget: number;
  systemPrompt?: string | undefined;
  /** The user's words, recorded before the first call. Omit it to continue from the session's current state. */
  input?: string | undefined;
  reserve?: number | undefined;
  /** Returns content for one call only, such as the time. */
  volatile?: (() => string) | undefined;
  /** Maximum number of model calls. 20 by default. */
  maxSteps?: number | undefined;
  /** Called after each model call, before its tools run. */
  onStep?: ((step: RunStep) => void) | undefined;
  /**
   * Called with each piece of each answer as it arrives. `finish` is the last piece. If the model does not stream, all
   * pieces arrive at once.
   */
  onDelta?: ((delta: ModelDelta) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** One model call in a run. */
export interface RunStep {
  context: WorkingContext;
  text: string;
  toolCalls: readonly ToolCall[];
  usage?: ModelUsage | undefined;
}

/** How a run ended. */
interface RunOutcome {
  /** The last answer. */
  text: string;
  /** `step_limit` if the model was still requesting tools. */
  finishReason: FinishReason | "step_limit";
  steps: readonly RunStep[];
}

/**
 * Compiles a prompt, calls the model, records its answer and runs its tools. Repeats this until the model requests no
 * more tools or reaches a limit. The session holds the whole state, so another call continues an interrupted run. Tool
 * calls that had not started run first. Those that had started do not run again. Also records the usage that the
 * provider reports, which lets the margin of later prompts correct the counter's error.
 * @throws ContextCompilerError as `compile` and `record` do, LanguageModelError as the model does
 */
export async function runCompiled(options: RunCompiledOptions): Promise<RunOutcome> {
  const { session, maxSteps = 20, signal } = options;
  const handler = await handlerOf(options);
  const tools = handler === undefined ? [] : (await handler.tools({ signal })).map(describeTool);
  await handler?.callAll(pendingCalls(session), { signal });
  if (options.input !== undefined)
    await session.record("user_input", { content: options.input }, { signal });
  const steps: RunStep[] = [];
  while (steps.length < maxSteps) {
    const { step, finishReason } = await takeStep(options, tools);
    steps.push(step);
    options.onStep?.(step);
    const { text, toolCalls } = step;
    if (toolCalls.length === 0) return { text, finishReason, steps };
    if (handler === undefined) throw noTools(toolCalls);
    await handler.callAll(toolCalls, { signal });
  }
  return { text: steps.at(-1)?.text ?? "", finishReason: "step_limit", steps };
}

/** Calls the model once and records its answer. */
async function takeStep(
  {
    session,
    compiler,
    model,
    budget,
    systemPrompt = "",
    reserve = 0,
    volatile,
    onDelta,
    signal,
  }: RunCompiledOptions,
  tools: readonly ToolDescription[],
): Promise<{ step: RunStep; finishReason: FinishReason }> {
  const options = { budget, systemPrompt, tools, reserve, volatile: volatile?.() ?? "", signal };
  const context = await compiler.compile(session, options);
  const request = { messages: context.toMessages(), signal };
  const response = await callModel(
    model,
    tools.length === 0 ? request : { ...request, tools: [...context.tools] },
    onDelta,
  );
  const { text, toolCalls = [], finishReason, usage } = response;
  const calls = toolCalls.length === 0 ? {} : { toolCalls };
  const answer = { content: text, ...calls, ...signedReasoning(response) };
  const counted = {
    counter: compiler.counter.name,
    countedTokens: context.tokenCount,
    modelId: model.modelId,
  };
  const reported = usageEvent(usage, counted);
  // The answer has been paid for, so record it even if the run was cancelled in the meantime.
  await session.recordAll([
    ...(reported === undefined ? [] : [{ kind: "phase_result" as const, data: reported }]),
    { kind: "assistant_message", data: answer },
  ]);
  return {
    step: { context, text, toolCalls, usage },
    finishReason,
  };
}

/** Returns the whole answer, passing on its pieces as they arrive. */
async function callModel(
  model: LanguageModel,
  request: ModelRequest,
  onDelta: RunCompiledOptions["onDelta"],
): Promise<ModelResponse> {
  if (onDelta === undefined) return model.generate(request);
  if (model.stream === undefined) {
    const response = await model.generate(request);
    if (response.text !== "") onDelta({ type: "text", text: response.text });
    for (const toolCall of response.toolCalls) onDelta({ type: "tool_call", toolCall });
    onDelta({ type: "finish", response });
    return response;
  }
  for await (const delta of model.stream(request)) {
    onDelta(delta);
    if (delta.type === "finish") return delta.response;
  }
  const message = `The stream of ${model.provider} ended before the answer did.`;
  throw new LanguageModelError("provider_error", message);
}

/** Returns signed reasoning that the provider requires back with the model's calls, in its adapter's format. */
function signedReasoning({ providerMetadata = {} }: ModelResponse): {
  providerMetadata?: Record<string, unknown> | undefined;
} {
  const signed = Object.entries(providerMetadata).flatMap(([provider, fields]) => {
    const reasoning = isRecord(fields) ? fields["reasoning"] : undefined;
    return Array.isArray(reasoning) ? [[provider, { reasoning }]] : [];
  });
  return signed.length === 0 ? {} : { providerMetadata: Object.fromEntries(signed) };
}

/** Returns the calls in the model's last request that have not started. */
function pendingCalls({ eventLog }: Session): ToolCall[] {
  const begun = new Set<string>();
  for (let at = eventLog.length - 1; at >= 0; at -= 1) {
    const event = eventLog.at(at);
    if (event?.kind === "assistant_message") {
      return (event.data.toolCalls ?? []).filter(({ id }) => !begun.has(id));
    }
    if (event !== undefined && "callId" in event.data && event.data.callId !== undefined)
      begun.add(event.data.callId);
  }
  return [];
}

/** Returns the handler. Loads the code for tool calls and schema checks only if there are tools. */
async function handlerOf({
  tools,
  session,
}: RunCompiledOptions): Promise<ToolInterruptHandler | undefined> {
  if (tools === undefined || isHandler(tools)) return tools;
  const { createToolInterruptHandler, functionToolBridge } =
    await import("../tool-interrupt/index.ts");
  return createToolInterruptHandler({ session, bridge: functionToolBridge(tools) });
}

function isHandler(
  tools: readonly ToolDefinition<never>[] | ToolInterruptHandler,
): tools is ToolInterruptHandler {
  return "callAll" in tools;
}

function describeTool({
  name,
  description = "",
  inputSchema = { type: "object" },
  outputSchema,
}: BridgedTool): ToolDescription {
  return { name, description, inputSchema, outputSchema };
}

function noTools(calls: readonly ToolCall[]): ContextCompilerError {
  const names = calls.map(({ name }) => JSON.stringify(name.slice(0, 80))).join(", ");
  return new ContextCompilerError(
    "invalid_options",
    `The model asked for ${names}, and the run has no tools.`,
  );
}
