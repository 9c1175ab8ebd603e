import type { EventBody, EventContent } from "../event/session-event.ts";

/** Maximum number of events to search for a result's question. */
const maxEvents = 200;
const maxChars = 2_000;

/**
 * Returns the question that a result answers: the user's last words and the arguments of its call.
 * `events` must be newest first.
 */
export function questionOf(callId: string, events: Iterable<EventBody>): string {
  let input = "";
  let seen = 0;
  for (const event of events) {
    if (event.kind === "user_input")
      return `${wordsIn(event.data.content)} ${input}`.slice(-maxChars);
    if (input === "") input = argumentsIn(event, callId) ?? "";
    seen += 1;
    if (seen >= maxEvents) break;
  }
  return input.slice(-maxChars);
}

function argumentsIn(event: EventBody, callId: string): string | undefined {
  if (event.kind === "tool_call" && event.data.callId === callId) return event.data.arguments;
  if (event.kind !== "assistant_message") return undefined;
  return event.data.toolCalls?.find(({ id }) => id === callId)?.arguments;
}

function wordsIn(content: EventContent): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ");
}
