import {
  type ChatMessage,
  failure,
  type FinishReason,
  type Issue,
  type LanguageModel,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
  type ModelUsage,
  type ResponseFormat,
  type Result,
  success,
  sumUsage,
} from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";

import type { JsonSchema } from "../json-schema/json-schema.ts";
import type { Repair } from "../repair/repair.ts";
import { jsonSchemaOf } from "../schema/compile-schema.ts";
import { type ReadAnswer, readAnswer } from "../schema/parse-structured.ts";
import type { StructuredSchema } from "../schema/structured-schema.ts";
import { toWireSchema, type WireSchema } from "../schema/wire/to-wire-schema.ts";
import { createFormatLadder, type FormatLadder, type StructuredFormat } from "./format-ladder.ts";
import { isTruncation, repairMessages } from "./repair-messages.ts";
import { withSchemaInstruction } from "./schema-instruction.ts";

/** The schema, and how many calls may be used. */
export interface GenerateStructuredOptions<T> {
  schema: StructuredSchema<T>;
  messages: readonly ChatMessage[];
  /** Maximum requests to repair an answer. Rejected formats do not count. Default: 1. */
  maxRepairs?: number | undefined;
  /** `strict` (default) starts on the ladder's highest rung, `best-effort` uses only the prompt. */
  mode?: "strict" | "best-effort" | undefined;
  /** Share one to remember rejections across models and calls. By default, they are remembered per model object. */
  ladder?: FormatLadder | undefined;
  /** Schema name for the provider: letters, digits, `_` and `-`. Default: "answer". */
  schemaName?: string | undefined;
  /** Sampling and limits for every call. Absent fields use the provider's defaults. */
  request?:
    | Omit<ModelRequest, "messages" | "responseFormat" | "tools" | "toolChoice" | "signal">
    | undefined;
  /** Called after each attempt. If a later call throws, this is the only record of the earlier ones. */
  onAttempt?: ((attempt: StructuredAttempt) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** One model call. */
export interface StructuredAttempt {
  format: StructuredFormat;
  /** True if the call asked for a repair of the previous answer. */
  isRepair: boolean;
  /** Absent if the provider rejected the format. */
  finishReason?: FinishReason | undefined;
  /** Why the answer was rejected. Empty for the last attempt of a success. */
  issues: Issue[];
  /** Repairs of the accepted answer, including changes to fit the schema. */
  repairs: Repair[];
  /** Absent if the provider did not report it. */
  usage?: ModelUsage | undefined;
  requestId?: string | undefined;
}

/** The last attempt's value or issues, and the total usage. */
export type StructuredResult<T> = Result<T> & {
  attempts: StructuredAttempt[];
  /** Sum over all attempts. Zero if the provider reported none. */
  usage: ModelUsage;
  /** The last attempt's rung. */
  format: StructuredFormat;
};

/** State that is constant across attempts. */
interface Plan<T> {
  options: GenerateStructuredOptions<T>;
  domain: JsonSchema;
  wire: WireSchema;
}

/** The next attempt's format, and the answer it should repair. */
interface Turn {
  format: StructuredFormat;
  /** For a truncated answer, this may hold all its pieces so far. */
  pending: { issues: Issue[]; answer: string } | undefined;
}

/** The text that was read (the response, or all pieces of a continued answer) and its value. */
interface Reading<T> {
  answer: string;
  result: Result<ReadAnswer<T>>;
}

const ladders = new WeakMap<LanguageModel, FormatLadder>();

/**
 * Asks a model for a value that fits a schema. If the provider rejects the format, steps down the ladder. If the answer
 * does not fit, asks again with the issues. A content filter refusal is a `content_filtered` issue and is not repaired.
 * @throws LanguageModelError of the model, including `aborted`, without a retry
 * @throws StructuredOutputError if the schema cannot be used
 */
export async function generateStructured<T>(
  model: LanguageModel,
  options: GenerateStructuredOptions<T>,
): Promise<StructuredResult<T>> {
  const { schema, mode, onAttempt } = options;
  const ladder = options.ladder ?? ladders.get(model) ?? createFormatLadder();
  if (options.ladder === undefined) ladders.set(model, ladder);
  const plan: Plan<T> = { options, domain: jsonSchemaOf(schema), wire: toWireSchema(schema) };
  const attempts: StructuredAttempt[] = [];
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  const turn: Turn = {
    format: mode === "best-effort" ? "none" : ladder.current(model),
    pending: undefined,
  };
  for (let repairsLeft = options.maxRepairs ?? 1; ;) {
    const { format } = turn;
    const response = await askModel(model, plan, turn);
    const { answer, result } = readResponse(plan, response, turn);
    const attempt: StructuredAttempt = {
      format,
      isRepair: turn.pending !== undefined,
      finishReason: response?.finishReason,
      issues: result.ok ? [] : result.issues,
      repairs: result.ok ? result.value.repairs : [],
      usage: response?.usage,
      requestId: response?.requestId,
    };
    attempts.push(attempt);
    onAttempt?.(attempt);
    if (response === undefined) {
      turn.format = ladder.stepDown(model, format) ?? "none";
      continue;
    }
    usage = sumUsage([{ usage }, response]) ?? usage;
    if (result.ok) return { ...success(result.value.value), attempts, usage, format };
    if (repairsLeft <= 0 || response.finishReason === "content_filter")
      return { ...result, attempts, usage, format };
    repairsLeft--;
    turn.pending = { issues: result.issues, answer };
  }
}

/** Calls the model once. Returns undefined if the provider rejects the format and the ladder has a lower rung. */
async function askModel<T>(
  model: LanguageModel,
  plan: Plan<T>,
  turn: Turn,
): Promise<ModelResponse | undefined> {
  const { signal, request } = plan.options;
  throwIfAborted(signal, LanguageModelError);
  try {
    const response = await model.generate({
      ...request,
      messages: messagesFor(plan, turn),
      responseFormat: responseFormat(plan, turn),
      signal,
    });
    throwIfAborted(signal, LanguageModelError);
    return response;
  } catch (error) {
    const isRefused =
      LanguageModelError.isInstance(error) && error.code === "unsupported_response_format";
    if (isRefused && turn.format !== "none") return undefined;
    throw error;
  }
}

function responseFormat<T>(
  { wire: { schema }, options }: Plan<T>,
  { format: type }: Turn,
): ResponseFormat | undefined {
  if (type === "none") return undefined;
  return type === "json_object"
    ? { type }
    : { type, name: options.schemaName ?? "answer", schema, strict: true };
}

function messagesFor<T>(plan: Plan<T>, { format, pending }: Turn): ChatMessage[] {
  const { domain, wire, options } = plan;
  const isDescribed = format !== "json_schema";
  const messages = isDescribed
    ? withSchemaInstruction(options.messages, usesWire(plan, format) ? wire.schema : domain)
    : options.messages;
  const schema = isDescribed ? undefined : wire.schema;
  return pending === undefined
    ? [...messages]
    : [...messages, ...repairMessages(pending.issues, pending.answer, { format, schema })];
}

/** True if answers have the wire shape. JSON mode only allows objects, so other roots are wrapped there too. */
function usesWire<T>({ domain }: Plan<T>, format: StructuredFormat): boolean {
  return format === "json_schema" || (format === "json_object" && domain["type"] !== "object");
}

/** Reads a response's value. If the previous answer was truncated, the response may continue it. */
function readResponse<T>(
  plan: Plan<T>,
  response: ModelResponse | undefined,
  { format, pending }: Turn,
): Reading<T> {
  const refuse = (answer: string, code: string, message: string): Reading<T> => ({
    answer,
    result: failure({ code, path: [], message }),
  });
  if (response === undefined) {
    const message = `The provider rejects the response format ${format}.`;
    return refuse("", "unsupported_response_format", message);
  }
  const { finishReason, text } = response;
  if (finishReason === "content_filter") {
    const message = "The provider's content filter stopped the answer; change the request.";
    return refuse(text, "content_filtered", message);
  }
  const domain = (candidate: unknown): unknown => candidate;
  // A provider that ignores the format answers in the domain schema's shape.
  const decoders = usesWire(plan, format) ? [plan.wire.decode, domain] : [domain];
  const how = { schema: plan.options.schema, decoders, finishReason };
  const read = (answer: string): Reading<T> => ({ answer, result: readAnswer(answer, how) });
  const alone = read(text);
  if (pending?.issues.some(isTruncation) !== true || isResent(text, pending.answer)) return alone;
  const joined = read(pending.answer + continuationOf(text));
  // A joined answer counts only if it needs no repair, since halves of different answers do not parse.
  if (joined.result.ok) return joined.result.value.repairs.length === 0 ? joined : alone;
  return alone.result.ok ? alone : joined;
}

/** True if an answer starts like the previous one. */
function isResent(text: string, before: string): boolean {
  const start = (answer: string): string =>
    continuationOf(answer).replaceAll(/\s/g, "").slice(0, 8);
  return start(text) === start(before);
}

/** Removes the fence that a model may reopen when it continues inside a code fence. */
function continuationOf(text: string): string {
  return text.replace(/^\s*```[a-z]*\n/i, "");
}
