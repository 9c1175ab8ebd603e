import type { ChatMessage, ModelUsage, ToolDescription } from "@ccl/core";
import type { ContextRecorder } from "@ccl/core/tracing";

import { sendableAfter } from "./assemble-after.ts";
import { type RunContext, turnMessagesOf } from "./run-context.ts";

/** Records a prompt of the main call together with its history. The result adds what the provider reports. */
export async function recordPrompt(
  run: RunContext,
  record: ContextRecorder,
  { messages, tools }: { messages: ChatMessage[]; tools?: readonly ToolDescription[] | undefined },
): Promise<(usage: ModelUsage | undefined) => void> {
  const { contextRecordOf } = await import("@ccl/context-compiler");
  const { input, artifacts, services } = run;
  const given = [...sendableAfter(run, { records: [], artifacts }), ...turnMessagesOf(run)];
  // Of the run's own messages, only a leading system prompt has no id.
  const sources = messages.map(({ id, role }, at) =>
    id === undefined && at > 0 ? -1 : given.findIndex((one) => one.id === id && one.role === role),
  );
  const { counter } = services.limits.prompt ?? {};
  const of = { source: "operations", session: input.chatId, counter, tools };
  const entry = contextRecordOf(given, { messages, sources, trace: [] }, of);
  record.add(entry);
  return (usage) => {
    if (usage === undefined) return;
    const { inputTokens: total, cachedInputTokens: cached = 0 } = usage;
    record.add({ ...entry, reported: { total, cached } });
  };
}
