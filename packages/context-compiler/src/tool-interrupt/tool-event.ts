import type { SessionEvent } from "../session/session-event.ts";

/** How a call ended; each call has exactly one. */
export type ToolOutcomeEvent = SessionEvent<"tool_success" | "tool_error" | "tool_timeout">;
