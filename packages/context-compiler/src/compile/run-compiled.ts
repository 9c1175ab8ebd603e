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
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { Session } from "../session/session.ts";
import type { ToolInterruptHandler } from "../tool-interrupt/create-tool-interrupt-handler.ts";
import type { BridgedTool } from "../tool-interrupt/tool-bridge.ts";
import type { ContextCompiler } from "./create-context-compiler.ts";
import { usageEvent } from "./reported-usage.ts";
import type { WorkingContext } from "./working-context.ts";

/** What a run goes on until. */
export interface RunCompiledOptions {
  session: Session;
  compiler: ContextCompiler;
  model: LanguageModel;
  /** Functions, or a handler for tools that run elsewhere. */
  tools?: readonly ToolDefinition<never>[] | ToolInterruptHandler | undefined;
  /** Tokens of the prompt of each call. */
  budget: number;
  systemPrompt?: string | undefined;
  /** Recorded as the user's words before the first call; leave it out to go on with what the session holds. */
  input?: string | undefined;
  reserve?: number | undefined;
  /** What holds for a call alone, such as the time. */
  volatile?: (() => string) | undefined;
  /** Calls of the model; 20 by default. */
  maxSteps?: number | undefined;
  /** After each call of the model, before its tools run. */
  onStep?: ((step: RunStep) => void) | undefined;
  /** Each piece of each answer as it comes, the last of which is `finish`; all at once where the model does not stream. */
  onDelta?: ((delta: ModelDelta) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** One call of the model. */
export interface RunStep {
  context: WorkingContext;
  text: string;
  toolCalls: readonly ToolCall[];
  usage?: ModelUsage | undefined;
}

/** How a run ended. */
export interface RunOutcome {
  /** Of the last answer. */
  text: string;
  /** `step_limit` when the model still wanted tools. */
  finishReason: FinishReason | "step_limit";
  steps: readonly RunStep[];
}

/**
 * Compiles, calls the model, records its answer, runs its tools, and starts again, until it asks for no more tools or a
 * limit is reached. Everything is in the session, so that a run that was broken off goes on with another one: calls that
 * the model had asked for and that were not begun run first, those that were begun do not run twice. What the provider
 * reports of each prompt is recorded too, so that later prompts keep back as much as the counter was wrong.
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

/** One call of the model, and its answer in the log. */
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
  const asked = { budget, systemPrompt, tools, reserve, volatile: volatile?.() ?? "", signal };
  const context = await compiler.compile(session, asked);
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
  // An answer that was paid for is kept, even when the run is cancelled meanwhile.
  await session.recordAll([
    ...(reported === undefined ? [] : [{ kind: "phase_result" as const, data: reported }]),
    { kind: "assistant_message", data: answer },
  ]);
  return {
    step: { context, text, toolCalls, usage },
    finishReason,
  };
}

/** The whole answer, and its pieces for who wants them. */
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

/** What a provider wants back with the calls that its model reasoned about, as its adapter has it. */
function signedReasoning({ providerMetadata = {} }: ModelResponse): {
  providerMetadata?: Record<string, unknown> | undefined;
} {
  const kept = Object.entries(providerMetadata).flatMap(([provider, fields]) => {
    const hasReasoning = typeof fields === "object" && fields !== null && "reasoning" in fields;
    return hasReasoning && Array.isArray(fields.reasoning)
      ? [[provider, { reasoning: fields.reasoning }]]
      : [];
  });
  return kept.length === 0 ? {} : { providerMetadata: Object.fromEntries(kept) };
}

/** What the model asked for last, as far as it was not begun. */
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

/** Tool calls are loaded with their schema checks only where there are tools. */
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
