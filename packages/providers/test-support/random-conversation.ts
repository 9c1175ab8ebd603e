import type { ChatMessage, Part } from "@ccl/core";
import fc from "fast-check";

const text = fc.constantFrom("", " ", "Hi", "Привет\n👋", '{"a":1}');
const bytes = fc.constantFrom(Uint8Array.of(1, 2), new TextEncoder().encode("words"));
const media = fc.record({
  type: fc.constantFrom("image" as const, "file" as const),
  mimeType: fc.constantFrom(
    "image/png",
    "image/svg+xml",
    "application/pdf",
    "text/plain",
    "audio/wav",
  ),
  filename: fc.option(fc.constant("a.b"), { nil: undefined }),
});
const part: fc.Arbitrary<Part> = fc.oneof(
  text.map((value): Part => ({ type: "text", text: value })),
  fc.tuple(media, bytes).map(([given, data]): Part => ({ ...given, data })),
  media.map((given): Part => ({ ...given, url: "https://example.org/a" })),
  text.map((value): Part => ({ type: "reasoning", text: value })),
  fc.constant<Part>({ type: "provider", provider: "elsewhere", raw: { type: "x" }, pairId: "p" }),
);
const content = fc.oneof(text, fc.array(part, { maxLength: 3 }));
const call = fc.record({
  id: fc.constantFrom("a", "b:c", ""),
  name: fc.constantFrom("look", "f"),
  arguments: fc.constantFrom("{}", '{"a":1}', "{broken", "", "[1]"),
});
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({
    role: fc.constantFrom("system" as const, "developer" as const, "user" as const),
    content,
  }),
  fc.record({ role: fc.constant("assistant" as const), content }),
  fc.record({
    role: fc.constant("assistant" as const),
    content,
    toolCalls: fc.array(call, { maxLength: 2 }),
  }),
  fc.record({
    role: fc.constant("tool" as const),
    content,
    toolCallId: fc.constantFrom("a", "b:c", "z"),
    isError: fc.boolean(),
  }),
);
/** Conversations with parts that not every format has a place for. */
export const conversation: fc.Arbitrary<ChatMessage[]> = fc.array(message, {
  minLength: 1,
  maxLength: 6,
});
