import { deepFreeze } from "@ccl/core/json";
import type { EventBody, SessionEvent } from "../session/session-event.ts";

/** Events with content that stores tend to lose: empty texts, other scripts, quotes, numbers, names of object members. */
const bodies: readonly EventBody[] = [
  { kind: "user_input", data: { content: "" } },
  {
    kind: "user_input",
    data: {
      content: "грёза 🙂 \u0000 \u2028 \"quoted\" \\ 'single' %s $1 \r\n",
      role: "developer",
    },
  },
  {
    kind: "assistant_message",
    data: {
      content: [{ type: "reasoning", text: "why", signature: "c2ln" }],
      toolCalls: [{ id: "1", name: "t", arguments: '{"a": 1}' }],
    },
  },
  { kind: "tool_call", data: { callId: "1", name: "t", arguments: '{"a": 1}' } },
  { kind: "tool_timeout", data: { callId: "1", timeoutMs: 0.1 } },
  { kind: "memory_hit", data: { memoryId: "m", text: "likes tea", score: -1e-7 } },
  {
    kind: "phase_result",
    data: { phase: "p", output: JSON.parse('{"__proto__":{"x":[null,true,1e21]},"2":1,"10":""}') },
  },
];

/** As many events as asked for, numbered from `from`: the same on every call. */
export function sampleEvents(count: number, from: number = 0): SessionEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const number = from + index;
    const body = bodies[number % bodies.length] ?? { kind: "user_input", data: { content: "" } };
    const eventId = `01900000-0000-7000-8000-${String(number).padStart(12, "0")}`;
    return deepFreeze({ ...body, eventId, timestamp: 1_700_000_000_000 + number, tokens: number });
  });
}
