import { traced } from "@ccl/core/tracing";
import type { ArtifactStore } from "@ccl/artifact-store";
import {
  createUuidV7Generator,
  systemClock,
  type Clock,
  type IdGenerator,
  type ToolCall,
  truncateMiddle,
  type Part,
} from "@ccl/core";
import { createDeadline, throwIfAborted, untilAborted } from "@ccl/core/async";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { Session } from "../session/session.ts";
import { redactOf } from "../session/recording-session.ts";
import { errorText } from "../fit/failure-reason.ts";
import { alignOutput, requireToolOutput } from "./align-output.ts";
import { checkCall } from "./check-call.ts";
import { checkerOf } from "./checker-of.ts";
import type { BridgedTool, ToolBridge, ToolOutput } from "./tool-bridge.ts";
import type { ToolOutcomeEvent } from "./tool-event.ts";
import { createToolListing } from "./tool-listing.ts";
import { writeJson } from "./write-json.ts";

/** How to call tools, and where to record the calls. */
interface ToolInterruptOptions {
  session: Session;
  bridge: ToolBridge;
  /** Stores large results. The session's own store by default. */
  artifactStore?: ArtifactStore | undefined;
  clock?: Clock | undefined;
  /** Generates ids for calls without one. */
  ids?: IdGenerator | undefined;
  /** Default time limit for a call in milliseconds. 60,000 by default. */
  timeoutMs?: number | undefined;
}

/** Time limit and id of a call. */
interface ToolCallOptions {
  timeoutMs?: number | undefined;
  /** The `id` of the model's call. By default, a new id for the application's own call. */
  callId?: string | undefined;
  signal?: AbortSignal | undefined;
}

/** Calls tools, and records every call with its outcome. */
export interface ToolInterruptHandler {
  /**
   * Returns the bridge's tools. Lists them once, and again if a name is unknown.
   * @throws ContextCompilerError `aborted`, or any error of the bridge
   */
  tools(options?: { signal?: AbortSignal | undefined }): Promise<readonly BridgedTool[]>;
  /**
   * Records the call, runs the tool, and always records exactly one outcome. `args` is an object, or the model's JSON
   * text. If a tool fails, violates its schema, is unknown or gets invalid arguments, the outcome is a `tool_error`
   * with a message for the model. A result that arrives after the time limit is recorded as late and never shown.
   * @throws ContextCompilerError `invalid_options` before anything is recorded, if the time limit is invalid or `args`
   * can't be written as JSON, `aborted` after the outcome was recorded, or any error of recording
   */
  call(name: string, args: unknown, options?: ToolCallOptions): Promise<ToolOutcomeEvent>;
  /** Runs the calls of one answer in parallel. Returns the outcomes in call order. */
  callAll(
    calls: readonly ToolCall[],
    options?: Omit<ToolCallOptions, "callId">,
  ): Promise<ToolOutcomeEvent[]>;
}

const defaultTimeoutMs = 60_000;

/**
 * Creates a handler for a session's tools.
 * @throws ContextCompilerError `invalid_options`
 */
export function createToolInterruptHandler(options: ToolInterruptOptions): ToolInterruptHandler {
  requireOptions(options);
  const {
    session,
    bridge,
    artifactStore,
    clock = systemClock,
    ids = createUuidV7Generator(),
    timeoutMs: defaultLimitMs = defaultTimeoutMs,
  } = options;
  const listing = createToolListing(bridge);
  const checkers = new Map<string, ReturnType<typeof checkerOf>>();

  const run = async (
    call: ToolCall,
    limits: { signal: AbortSignal; timeoutMs: number },
  ): Promise<Outcome> => {
    const tool = await listing.find(call.name, limits.signal);
    const checked = checkCall(call, tool);
    if (!checked.ok)
      return {
        kind: "tool_error",
        content: checked.issues.map(({ message }) => message).join("\n"),
      };
    const { input, outputSchema, isArtifactRead } = checked.value;
    if (outputSchema !== undefined && !checkers.has(call.name))
      checkers.set(call.name, checkerOf(call.name, outputSchema));
    const output = await Promise.resolve({ callId: call.id, ...limits })
      .then((bridgeCall) => bridge.call(call.name, input, bridgeCall))
      .then(requireToolOutput)
      .catch((error: unknown): ToolOutput => {
        if (limits.signal.aborted) throw error;
        return { content: messageOf(error), isError: true };
      });
    const aligned = alignOutput(output, {
      check: checkers.get(call.name),
      redact: redactOf(session),
    });
    if (!aligned.ok) return { kind: "tool_error", content: brokenAnswer(aligned.issues) };
    const content = aligned.value;
    if (output.isError === true) return { kind: "tool_error", content };
    return { kind: "tool_success", content, mimeType: output.mimeType, isArtifactRead };
  };

  const call: ToolInterruptHandler["call"] = async (name, args, callOptions = {}) => {
    const { signal, timeoutMs = defaultLimitMs, callId = ids.next() } = callOptions;
    requireTimeoutMs(timeoutMs);
    throwIfAborted(signal, ContextCompilerError);
    const toolCall: ToolCall = { id: callId, name, arguments: argumentsText(args) };
    await session.record("tool_call", { callId, name, arguments: toolCall.arguments });
    const startedAt = clock.now();
    const write = (outcome: Outcome, isLate: boolean): Promise<ToolOutcomeEvent> => {
      // The wall clock may be set back during the call.
      const durationMs = Math.max(0, clock.now() - startedAt);
      return recordOutcome(outcome, { call: toolCall, session, artifactStore, durationMs, isLate });
    };
    const outcome = await raceAgainstLimits({
      run: (limits) => run(toolCall, limits),
      timeoutMs,
      signal,
      // The caller already has the outcome, so a failure of the log can't be reported.
      onLate: (late) => void write(late, true).catch(() => undefined),
    });
    const event = await write(outcome, false).catch((error: unknown) => {
      if (!ContextCompilerError.isInstance(error) || error.code !== "invalid_event") throw error;
      // If no event can hold the result, the call ends with a tool error.
      return write(
        { kind: "tool_error", content: `The tool's answer can't be recorded: ${error.message}` },
        false,
      );
    });
    if (outcome.kind === "tool_error" && outcome.isAborted === true)
      throwIfAborted(signal, ContextCompilerError);
    return event;
  };

  const tracedCall: ToolInterruptHandler["call"] = (name, args, callOptions) => {
    const tool = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": callOptions?.callId,
    };
    return traced(`execute_tool ${name}`, tool, async (span) => {
      const event = await call(name, args, callOptions);
      if (event.kind !== "tool_success") span.set({ "error.type": event.kind });
      return event;
    });
  };
  return {
    tools: ({ signal } = {}) => listing.tools(signal),
    call: tracedCall,
    callAll: (calls, callOptions = {}) =>
      Promise.all(
        calls.map(({ id, name, arguments: args }) =>
          tracedCall(name, args, { ...callOptions, callId: id }),
        ),
      ),
  };
}

interface Race {
  run(limits: { signal: AbortSignal; timeoutMs: number }): Promise<Outcome>;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  onLate(outcome: Outcome): void;
}

/**
 * Races the result against the time limit and the caller's abort. Whichever comes first is the outcome. A result after
 * that is late.
 */
async function raceAgainstLimits({ run, timeoutMs, signal, onLate }: Race): Promise<Outcome> {
  const timeout = new DOMException(`No answer within ${timeoutMs} ms`, "TimeoutError");
  const deadline = createDeadline({ timeoutMs, signal, onTimeout: () => timeout });
  const running = Promise.resolve().then(() => {
    deadline.signal.throwIfAborted();
    return run({ signal: deadline.signal, timeoutMs });
  });
  try {
    return await untilAborted(running, deadline.signal);
  } catch (error) {
    if (!deadline.signal.aborted) return { kind: "tool_error", content: messageOf(error) };
    // If it rejects later, that is the tool's reaction to the abort and not a result.
    running.then(onLate, () => undefined);
    if (deadline.signal.reason === timeout) return { kind: "tool_timeout", timeoutMs };
    const content = "The call was cancelled before the tool answered.";
    return { kind: "tool_error", content, isAborted: true };
  } finally {
    deadline.close();
  }
}

function messageOf(error: unknown): string {
  return errorText(error) || "The tool failed without a message.";
}

function brokenAnswer(issues: readonly { path: (string | number)[]; message: string }[]): string {
  const lines = issues.map(({ path, message }) => `- /${path.join("/")}: ${message}`);
  return ["The tool's answer does not fit its schema, so that it is not shown:", ...lines].join(
    "\n",
  );
}

function argumentsText(args: unknown): string {
  if (typeof args === "string") return args;
  try {
    return writeJson(args ?? {}, "The call's arguments");
  } catch (error) {
    throw new ContextCompilerError("invalid_options", messageOf(error), { cause: error });
  }
}

function requireOptions(options: Partial<ToolInterruptOptions> | null | undefined): void {
  const { session, bridge, timeoutMs } = options ?? {};
  if (typeof session?.record !== "function") {
    throw new ContextCompilerError(
      "invalid_options",
      "Pass the session that calls are recorded in as `session`.",
    );
  }
  if (typeof bridge?.tools !== "function" || typeof bridge.call !== "function") {
    const message =
      "Pass what calls the tools as `bridge`: functionToolBridge(tools), mcpToolBridge(client) or your own.";
    throw new ContextCompilerError("invalid_options", message);
  }
  if (timeoutMs !== undefined) requireTimeoutMs(timeoutMs);
}

function requireTimeoutMs(timeoutMs: unknown): void {
  if (typeof timeoutMs === "number" && timeoutMs >= 0) return;
  const shownLimit =
    typeof timeoutMs === "string" ? JSON.stringify(timeoutMs.slice(0, 80)) : String(timeoutMs);
  throw new ContextCompilerError(
    "invalid_options",
    `A time limit is a number of milliseconds from 0, not ${shownLimit}.`,
  );
}

/** How a call ended. */
type Outcome =
  | {
      kind: "tool_success";
      content: string | Part[];
      mimeType?: string | undefined;
      isArtifactRead: boolean;
    }
  | { kind: "tool_error"; content: string | Part[]; isAborted?: boolean | undefined }
  | { kind: "tool_timeout"; timeoutMs: number };

interface RecordContext {
  call: ToolCall;
  session: Session;
  /** Used in place of the session's own store. */
  artifactStore: ArtifactStore | undefined;
  durationMs: number;
  isLate: boolean;
}

const longestError = 4_000;

/** Records the single outcome of a call, or a late result. */
function recordOutcome(
  outcome: Outcome,
  { call, session, artifactStore, durationMs, isLate }: RecordContext,
): Promise<ToolOutcomeEvent> {
  const data = { callId: call.id, name: call.name, durationMs, isLate: isLate || undefined };
  if (outcome.kind === "tool_timeout") {
    return session.record("tool_timeout", { ...data, timeoutMs: outcome.timeoutMs });
  }
  if (outcome.kind === "tool_error") {
    return session.record(
      "tool_error",
      { ...data, content: bounded(outcome.content) },
      { artifactStore },
    );
  }
  const { content, mimeType, isArtifactRead } = outcome;
  const details = {
    mimeType,
    isArtifactRead: isArtifactRead || undefined,
  };
  return session.record("tool_success", { ...data, ...details, content }, { artifactStore });
}

/** Keeps the first and last lines, which usually contain the error. */
function bounded(content: string | Part[]): string | Part[] {
  return typeof content === "string"
    ? truncateMiddle(content, { maxChars: longestError }).text
    : content;
}
