import type { SessionEvent } from "../session/session-event.ts";

/** What the log says of a call: that it began, or how it ended. */
export type ToolEvent = SessionEvent<"tool_call" | "tool_success" | "tool_error" | "tool_timeout">;

/** How a call ended; each call has exactly one. */
export type ToolOutcomeEvent = SessionEvent<"tool_success" | "tool_error" | "tool_timeout">;
