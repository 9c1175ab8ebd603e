import { type ChatMessage, sha256Hex } from "@ccl/core";
import { randomHex } from "@ccl/core/hash";
import type { ContextPart, ContextRecord, PartContent } from "@ccl/core/tracing";

import { fingerprintOf } from "./fingerprint.ts";
import type { FitOptions, FittedMessages } from "./fit-options.ts";
import { createMessageMeter } from "./message-meter.ts";
import { readableText, withCalls } from "./message-texts.ts";
import { isSameMessage } from "./same-message.ts";

/** The fields of a record besides its parts, and the counter for the parts. */
interface RecordOptions
  extends
    Pick<ContextRecord, "session" | "source" | "model" | "budget">,
    Pick<FitOptions, "counter" | "restHint" | "tools"> {}

/** Records what happened to each message. Dropped messages keep their place. */
export function contextRecordOf(
  messages: readonly ChatMessage[],
  { messages: shown, sources, trace }: Pick<FittedMessages, "messages" | "sources" | "trace">,
  { counter, restHint, tools = [], source, session, model, budget }: RecordOptions,
): ContextRecord {
  const meter = createMessageMeter(counter, tools);
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  const parts: ContextPart[] =
    tools.length === 0 ? [] : [{ kind: "tools", tokens: meter.fixed, text: JSON.stringify(tools) }];
  const add = (index: number, sent: ChatMessage | undefined): void => {
    const message = messages[index];
    const of = message ?? sent;
    if (of === undefined) return;
    const contentOf = (one: ChatMessage | undefined): PartContent =>
      one === undefined ? { tokens: 0 } : { tokens: meter.of(one), ...textAndHash(one) };
    const isSame = message !== undefined && sent !== undefined && isSameMessage(message, sent);
    const entry = trace.find(
      ({ action, from, to }) =>
        from <= index && index < to && (action === "dropped") === (sent === undefined),
    );
    const { action = "repaired", reason: why } = entry ?? {};
    const form = message === undefined ? "added" : sent === undefined ? "dropped" : action;
    parts.push({
      kind: kinds[of.role],
      tool: names.get(of.toolCallId ?? ""),
      callId: of.toolCallId ?? of.toolCalls?.[0]?.id,
      ...contentOf(message),
      sent: isSame ? undefined : { form, why, ...contentOf(sent) },
      handle: isSame || message === undefined ? undefined : restHint?.(message, index),
    });
  };
  const isSent = new Set(sources);
  let next = 0;
  for (const [at, index] of [...sources, messages.length].entries()) {
    for (; next < index; next += 1) if (!isSent.has(next)) add(next, undefined);
    add(index, shown[at]);
  }
  const facts = { source, session, model, budget };
  return { id: randomHex(8), timeMs: Date.now(), ...facts, parts };
}

const kinds = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "result",
} as const;

function textAndHash(message: ChatMessage): Pick<PartContent, "text" | "hash"> {
  const { content } = message;
  const isPlain = typeof content === "string" || content.every(({ type }) => type === "text");
  const hash = isPlain ? undefined : sha256Hex(fingerprintOf(message));
  return { text: withCalls(readableText(message), message), hash };
}
