import type { ChatMessage, Part } from "@ccl/core";
import { fromBase64 } from "@ccl/core/json";
import { renderArtifact } from "../externalize/render-artifact.ts";
import type {
  EventBody,
  EventContent,
  EventPart,
  MessageFields,
  ToolOutcomeData,
  ToolTimeoutData,
} from "../event/session-event.ts";

/**
 * Converts an event to a message. Returns undefined for kinds that are not messages, such as
 * `tool_call`.
 */
export function eventMessage(event: EventBody): ChatMessage | undefined {
  switch (event.kind) {
    case "user_input":
      return {
        role: event.data.role ?? "user",
        content: decodeContent(event.data.content),
        ...fieldsOf(event.data),
      };
    case "assistant_message": {
      const { content, toolCalls = [] } = event.data;
      const calls = toolCalls.length === 0 ? {} : { toolCalls };
      return {
        role: "assistant",
        content: decodeContent(content),
        ...calls,
        ...fieldsOf(event.data),
      };
    }
    case "tool_success":
      return outcomeMessage(event.data, false);
    case "tool_error":
      return outcomeMessage(event.data, true);
    case "tool_timeout":
      return outcomeMessage(
        { ...event.data, content: event.data.content ?? timeoutText(event.data) },
        true,
      );
    default:
      return undefined;
  }
}

function outcomeMessage(data: ToolOutcomeData, isError: boolean): ChatMessage {
  const error = isError ? { isError } : {};
  return {
    role: "tool",
    content: decodeContent(data.content),
    toolCallId: data.callId,
    ...error,
    ...fieldsOf(data),
  };
}

function timeoutText({ timeoutMs }: ToolTimeoutData): string {
  return `The tool did not answer within ${timeoutMs} ms.`;
}

function fieldsOf({ id, source, providerMetadata }: MessageFields): MessageFields {
  return {
    id,
    source,
    providerMetadata,
  };
}

function decodeContent(content: EventContent): string | Part[] {
  if (typeof content === "string") return content;
  const [only, ...others] = content;
  if (only?.type === "artifact" && others.length === 0) return renderArtifact(only);
  return content.map(decodePart);
}

function decodePart(part: EventPart): Part {
  if (part.type === "artifact") return { type: "text", text: renderArtifact(part) };
  if (part.type !== "image" && part.type !== "file") return part;
  const { dataBase64, ...media } = part;
  if (dataBase64 === undefined) return media;
  const data = fromBase64(dataBase64);
  return data === undefined ? media : { ...media, data };
}
