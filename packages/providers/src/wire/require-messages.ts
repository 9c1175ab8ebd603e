import { WireError } from "./wire-error.ts";

/** @throws WireError `invalid_messages` unless `messages` is a list of objects. */
export function requireMessages(messages: unknown): void {
  if (!Array.isArray(messages)) {
    throw new WireError("invalid_messages", "`messages` must be a list of objects.");
  }
  const index = messages.findIndex((message) => typeof message !== "object" || message === null);
  if (index < 0) return;
  throw new WireError("invalid_messages", `Message ${index} is not an object.`, {
    details: { index },
  });
}
