import { ContextCompilerError } from "../context-compiler-error.ts";

/** Throws `invalid_messages` for what is no list of objects. */
export function requireMessages(messages: unknown): void {
  if (!Array.isArray(messages)) {
    throw new ContextCompilerError(
      "invalid_messages",
      "The messages are a list of messages, each an object.",
    );
  }
  const index = messages.findIndex((message) => typeof message !== "object" || message === null);
  if (index < 0) return;
  throw new ContextCompilerError("invalid_messages", `Message ${index} is no object.`, {
    details: { index },
  });
}
