import type { SessionEvent } from "../event/session-event.ts";

/** A log event for the start or the outcome of a call. */
export type ToolEvent = SessionEvent<"tool_call" | "tool_success" | "tool_error" | "tool_timeout">;

/** How a call ended. Each call has exactly one outcome. */
export type ToolOutcomeEvent = SessionEvent<"tool_success" | "tool_error" | "tool_timeout">;
