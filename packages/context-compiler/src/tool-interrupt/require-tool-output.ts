import { ContextCompilerError } from "../context-compiler-error.ts";
import type { ToolOutput } from "./tool-bridge.ts";

const textTypes = new Set<unknown>(["text", "reasoning"]);
const mediaTypes = new Set<unknown>(["image", "file"]);

/**
 * Checks that a bridge returned a result. The event check validates its bytes.
 * @throws ContextCompilerError `invalid_options` with a message for the author of the bridge
 */
export function requireToolOutput(answer: unknown): ToolOutput {
  if (isToolOutput(answer)) return answer;
  const message =
    "The tool's bridge returned no usable answer; it must return { content }, a text or a list of parts " +
    '{ type: "text", text } and { type: "image" | "file", mimeType, data }.';
  throw new ContextCompilerError("invalid_options", message);
}

function isToolOutput(answer: unknown): answer is ToolOutput {
  if (typeof answer !== "object" || answer === null || !("content" in answer)) return false;
  const { content } = answer;
  const hasMimeType =
    !("mimeType" in answer) || ["string", "undefined"].includes(typeof answer.mimeType);
  return (
    hasMimeType &&
    (typeof content === "string" || (Array.isArray(content) && content.every(isPart)))
  );
}

function isPart(part: unknown): boolean {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  return textTypes.has(part.type)
    ? "text" in part && typeof part.text === "string"
    : mediaTypes.has(part.type);
}
