import type { Part } from "@ccl/core";
import { isRecord, toBase64 } from "@ccl/core/json";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type {
  AssistantMessageData,
  EventPart,
  SessionEventData,
  SessionEventKind,
  ToolOutcomeData,
  ToolTimeoutData,
  UserInputData,
} from "../event/session-event.ts";

/** Content from the caller. Its bytes are encoded when it is recorded. */
type ContentInput = string | readonly (Part | EventPart)[];

/** Event data with content from the caller. */
type WithInput<Data> = Omit<Data, "content"> & { content: ContentInput };

/** An outcome from the caller. */
type ToolOutcomeInput = WithInput<ToolOutcomeData> & {
  /** The content's media type, which determines how it is summarized. Guessed by default. */
  mimeType?: string | undefined;
};

/** The data that `record` accepts for each event kind. */
export type SessionEventInput = Omit<
  SessionEventData,
  "user_input" | "assistant_message" | "tool_success" | "tool_error" | "tool_timeout"
> & {
  user_input: WithInput<UserInputData>;
  assistant_message: WithInput<AssistantMessageData>;
  tool_success: ToolOutcomeInput;
  tool_error: ToolOutcomeInput;
  tool_timeout: Omit<ToolTimeoutData, "content"> & { content?: ContentInput | undefined };
};

/** One event to record. */
export type EventDraft<Kind extends SessionEventKind = SessionEventKind> = {
  [Each in Kind]: { kind: Each; data: SessionEventInput[Each] };
}[Kind];

/** Encodes the bytes in parts as base64. The event check covers everything else. */
export function encodeInput(kind: SessionEventKind, data: unknown): object {
  if (!isRecord(data)) {
    throw new ContextCompilerError("invalid_event", `The data of "${kind}" has to be an object.`);
  }
  const { content } = data;
  return Array.isArray(content) ? { ...data, content: content.map(encodePart) } : data;
}

/** Converts a part to one that JSON can represent. */
export function encodePart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const { data, ...rest } = part;
  return data instanceof Uint8Array ? { ...rest, dataBase64: toBase64(data) } : part;
}
