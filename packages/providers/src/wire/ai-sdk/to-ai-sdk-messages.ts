import type {
  ChatMessage,
  MediaPart,
  Part,
  ProviderFields,
  ReasoningPart,
  ToolCall,
} from "@ccl/core";
import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

import { callInput } from "../call-input.ts";
import { Losses, type LossOptions, placeholder } from "../losses.ts";
import { formOf, inOriginalForm } from "../original-form.ts";
import { requireMessages } from "../require-messages.ts";
import { WireError } from "../wire-error.ts";
import { asWire, fieldsFor, interleaved, wholeMessage } from "../wire-fields.ts";
import type { AiSdkMessage } from "./ai-sdk-message.ts";
import { aiSdk, type AiSdkVersion, isVersion, writeFile, writeOutput } from "./file-forms.ts";
import { isJson, providerOptionsOf } from "./provider-options.ts";

/** The version of a prompt's model interface, and how to report lost parts. */
export interface AiSdkMessagesOptions extends LossOptions {
  /**
   * The model's `specificationVersion`, if the messages are its prompt: `v2` (AI SDK 5) to `v4` (AI SDK 7). By default,
   * writes messages for `generateText` of AI SDK 6 and 7. AI SDK 5 needs `v2` if tools return media.
   */
  version?: string | undefined;
}

/** Precedes the output parts of a failed tool, since the SDK has no error flag for parts. */
export const errorMark = {
  type: "text",
  text: "[The tool failed.]",
  providerOptions: { ccl: { isError: true } },
};

interface Target {
  toolNames: ReadonlyMap<string, string>;
  losses?: Losses;
  version?: AiSdkVersion | undefined;
}

/**
 * Converts messages for `generateText` and `streamText`. Puts the results of parallel calls into one tool message.
 * `providerMetadata` becomes `providerOptions`. Call arguments that are not JSON become `{ INVALID_JSON: text }`.
 * Leaves out messages whose parts are all empty.
 * @throws WireError `unsupported_version`
 */
export function toAiSdkMessages(
  messages: readonly ChatMessage[],
  options: AiSdkMessagesOptions = {},
): AiSdkMessage[] {
  requireMessages(messages);
  const { version } = options;
  if (!isVersion(version)) {
    const what = `Version ${JSON.stringify(version)} of the AI SDK's model interface is unknown; use v2, v3 or v4.`;
    throw new WireError("unsupported_version", what);
  }
  const losses = new Losses(options);
  const toolNames = new Map<string, string>();
  const result: JsonRecord[] = [];
  for (const [index, message] of messages.entries()) {
    losses.index = index;
    for (const call of message.toolCalls ?? []) toolNames.set(call.id, call.name);
    const written = writeMessage(message, { toolNames, losses, version });
    const next = inOriginalForm(aiSdk, message, written);
    if (!isRecord(next) || (version !== undefined && next["content"] === "")) continue;
    const last = result.at(-1);
    const isSplit = formOf(aiSdk, message)["startsTurn"] === true;
    const isJoined = next["role"] === "tool" && last?.["role"] === "tool" && !isSplit;
    if (isJoined && Array.isArray(last["content"]) && Array.isArray(next["content"]))
      last["content"] = [...last["content"], ...next["content"]];
    else result.push(version === undefined ? { ...next } : promptOf(next));
  }
  return asWire(result);
}

/** Converts text content to a list of parts, which prompts require. */
function promptOf(message: JsonRecord): JsonRecord {
  const { role, content } = message;
  if (role === "system" || typeof content !== "string") return { ...message };
  return { ...message, content: [{ type: "text", text: content }] };
}

/** Writes a message, ignoring its original form. Returns undefined if it is empty. */
export function writeMessage(message: ChatMessage, target: Target): JsonRecord | undefined {
  const whole = wholeMessage(aiSdk, message);
  if (whole !== undefined) return whole;
  const { role, content } = message;
  if (role === "tool") return { role, content: [toResult(message, target)] };
  const options = providerOptionsOf(message);
  if (role === "system" || role === "developer") {
    return { role: "system", content: textOf(message, target), ...options };
  }
  const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (typeof content === "string" && message.toolCalls === undefined)
    return { role, content, ...options };
  const write = (part: OwnPart): JsonRecord | undefined => {
    if (part.type !== "reasoning") return withOptions(writeFile(part, target.version), part);
    if (role !== "assistant") return undefined;
    return { type: "reasoning", text: part.text, ...reasoningOptions(part) };
  };
  const said = parts.map((part) =>
    part.type === "text" && part.text === "" ? [] : toPart(part, target, write),
  );
  const all = interleaved(aiSdk, said, message.toolCalls, (call) => [toCall(call)]).flat();
  return all.length === 0 ? undefined : { role, content: all, ...options };
}

function textOf({ content }: ChatMessage, target: Target): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : lost(part, target))).join("");
}

function lost(part: Part, { losses = new Losses() }: Target): string {
  return losses.mark(part);
}

type OwnPart = MediaPart | ReasoningPart;

/** Returns the part, original or written, or else its replacement text. */
function toPart(
  part: Part,
  target: Target,
  write: (part: OwnPart) => JsonRecord | undefined,
): unknown[] {
  if (part.type === "provider" && part.provider === aiSdk) return [part.raw];
  if (part.type === "text") return [{ type: "text", text: part.text, ...providerOptionsOf(part) }];
  const written = part.type === "provider" ? undefined : write(part);
  if (written !== undefined) return [written];
  const mark = lost(part, target);
  return mark === "" ? [] : [{ type: "text", text: mark }];
}

function withOptions(written: JsonRecord | undefined, part: MediaPart): JsonRecord | undefined {
  return written === undefined ? undefined : { ...written, ...providerOptionsOf(part) };
}

/**
 * Returns the signature of a thought, or Anthropic's redacted thinking, in the fields that the SDK's Anthropic provider
 * reads.
 */
function reasoningOptions(part: ProviderFields & { signature?: string | undefined }): object {
  const { anthropic, ...others } = part.providerMetadata ?? {};
  const own = isRecord(anthropic) ? anthropic : {};
  const proof =
    part.signature !== undefined
      ? { signature: part.signature }
      : own["type"] === "redacted_thinking"
        ? { redactedData: own["data"] }
        : undefined;
  if (proof === undefined) return providerOptionsOf(part);
  const { type: _, data: __, ...kept } = own;
  return providerOptionsOf({ providerMetadata: { ...others, anthropic: { ...kept, ...proof } } });
}

function toCall(call: ToolCall): JsonRecord {
  return {
    type: "tool-call",
    toolCallId: call.id,
    toolName: call.name,
    input: callInput(call),
    ...providerOptionsOf(call),
  };
}

function toResult(message: ChatMessage, target: Target): JsonRecord {
  const { toolCallId = "unknown" } = message;
  const known = fieldsFor(aiSdk, message)["toolName"] ?? target.toolNames.get(toolCallId);
  if (known === undefined) target.losses?.drop("tool", "the name of a tool whose call is not here");
  return {
    type: "tool-result",
    toolCallId,
    toolName: known ?? "unknown",
    output: outputOf(message, target),
    ...providerOptionsOf(message),
  };
}

function outputOf(message: ChatMessage, target: Target): JsonRecord {
  const { content, isError = false } = message;
  if (typeof content === "string") {
    const value = fieldsFor(aiSdk, message)["output"] === "json" ? parseJson(content) : undefined;
    if (isJson(value)) return { type: isError ? "error-json" : "json", value };
    return { type: isError ? "error-text" : "text", value: content };
  }
  const isPlain = content.every((part) => part.type === "text");
  const isBare =
    isPlain &&
    content.every((part) => !("providerMetadata" in part) || part.providerMetadata === undefined);
  if (isBare || (isPlain && isError)) {
    const texts = content.map((part) => (part.type === "text" ? part.text : placeholder(part)));
    return { type: isError ? "error-text" : "text", value: texts.join("\n") };
  }
  const write = (part: OwnPart): JsonRecord | undefined =>
    part.type === "reasoning" ? undefined : withOptions(writeOutput(part, target.version), part);
  const value = content.flatMap((part) => toPart(part, target, write));
  return { type: "content", value: isError ? [errorMark, ...value] : value };
}
