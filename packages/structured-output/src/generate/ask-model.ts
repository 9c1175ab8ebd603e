import {
  type ChatMessage,
  LanguageModelError,
  type ModelRequest,
  type ModelResponse,
  type ResponseFormat,
} from "@ccl/core";
import { throwIfAborted } from "@ccl/core/async";

import type { StructuredFormat } from "./format-ladder.ts";
import { repairMessages } from "./repair-messages.ts";
import { withSchemaInstruction } from "./schema-instruction.ts";
import { type PendingRepair, type Plan, usesWire } from "./structured-plan.ts";

/** Calls the model once. Undefined if the provider refuses the format and the ladder has a lower rung. */
export async function askModel<T>(
  plan: Plan<T>,
  format: StructuredFormat,
  pending: PendingRepair | undefined,
): Promise<ModelResponse | undefined> {
  const { model, options } = plan;
  throwIfAborted(options.signal, LanguageModelError);
  const request: ModelRequest = {
    ...options.request,
    messages: messagesFor(plan, format, pending),
    responseFormat: format === "none" ? undefined : responseFormat(plan, format),
    signal: options.signal,
  };
  try {
    const response = await model.generate(request);
    throwIfAborted(options.signal, LanguageModelError);
    return response;
  } catch (error) {
    const isRefused =
      LanguageModelError.isInstance(error) && error.code === "unsupported_response_format";
    if (isRefused && format !== "none") return undefined;
    throw error;
  }
}

function responseFormat<T>(
  { wire, options }: Plan<T>,
  format: "json_schema" | "json_object",
): ResponseFormat {
  if (format === "json_object") return { type: "json_object" };
  return {
    type: "json_schema",
    name: options.schemaName ?? "answer",
    schema: wire.schema,
    strict: true,
  };
}

function messagesFor<T>(
  plan: Plan<T>,
  format: StructuredFormat,
  pending: PendingRepair | undefined,
): ChatMessage[] {
  const { domain, wire, options } = plan;
  const isDescribed = format !== "json_schema";
  const messages = isDescribed
    ? withSchemaInstruction(options.messages, usesWire(plan, format) ? wire.schema : domain)
    : options.messages;
  if (pending === undefined) return [...messages];
  return [
    ...messages,
    ...repairMessages(pending.issues, pending.answer, {
      format,
      schema: isDescribed ? undefined : wire.schema,
    }),
  ];
}
