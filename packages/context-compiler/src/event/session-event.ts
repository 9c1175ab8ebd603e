import type {
  ProviderFields,
  ProviderPart,
  ReasoningPart,
  Role,
  TextPart,
  ToolCall,
} from "@ccl/core";

/**
 * An image or a file inside an event. Its bytes are base64, since JSON has none. Either
 * `dataBase64` or `url` is set.
 */
interface EncodedMediaPart extends ProviderFields {
  type: "image" | "file";
  mimeType: string;
  dataBase64?: string | undefined;
  url?: string | undefined;
  filename?: string | undefined;
}

/** Replaces a payload that is in the artifact store. */
export interface ArtifactPart {
  type: "artifact";
  /** The artifact store's id: 64 lower-case hex digits. */
  artifactId: string;
  handleId?: string | undefined;
  /** What a model sees of the payload. Contains no secrets. */
  summary: string;
  sizeBytes: number;
  mimeType: string;
}

/** One part of the content of an event. */
export type EventPart = TextPart | ReasoningPart | ProviderPart | EncodedMediaPart | ArtifactPart;

/** Text, or parts in the model's order. */
export type EventContent = string | EventPart[];

/** The fields of a message, besides its content, that an event keeps. */
export interface MessageFields extends ProviderFields {
  /** The message's own id. */
  id?: string | undefined;
  source?: string | undefined;
}

/** What a person or the application said. */
export interface UserInputData extends MessageFields {
  content: EventContent;
  /** `user` by default. Otherwise a system or developer message of a recorded transcript. */
  role?: Exclude<Role, "assistant" | "tool"> | undefined;
}

/** What the model said, and which tools it requested. */
export interface AssistantMessageData extends MessageFields {
  content: EventContent;
  toolCalls?: ToolCall[] | undefined;
}

/** A tool call that the previous assistant message requested, or that the application started by itself. */
interface ToolCallData {
  callId: string;
  name: string;
  /** JSON text, as in `ToolCall`. */
  arguments: string;
}

/** How a call ended. */
export interface ToolOutcomeData extends MessageFields {
  callId: string;
  name?: string | undefined;
  /** The tool's result or error. */
  content: EventContent;
  durationMs?: number | undefined;
  /** True if the call already had an outcome. The event is recorded but never shown to a model. */
  isLate?: boolean | undefined;
  /** True for a read of an artifact, which is never offloaded again. */
  isArtifactRead?: boolean | undefined;
  /**
   * The artifact store's error code if it rejected the payload. The event then holds the payload in
   * full.
   */
  externalizeFailure?: string | undefined;
}

/** A tool did not answer in time. */
export interface ToolTimeoutData extends Omit<ToolOutcomeData, "content"> {
  timeoutMs: number;
  /** By default, a sentence that names the limit. */
  content?: EventContent | undefined;
}

/** A hit of a memory service. */
interface MemoryHitData {
  memoryId: string;
  text: string;
  score?: number | undefined;
  query?: string | undefined;
  source?: string | undefined;
}

/** A guard's decision on an input, a call or an answer. */
interface GuardDecisionData {
  guard: string;
  decision: "allow" | "block" | "modify";
  reason?: string | undefined;
  callId?: string | undefined;
  details?: unknown;
}

/** A summary that replaces a range of events, written once by a model. */
export interface SummaryRecord {
  text: string;
  /** The first and the last event that it summarizes. */
  fromEventId: string;
  toEventId: string;
  /** The model that wrote it. */
  modelId?: string | undefined;
}

/** The result of a phase of the application's work. `phase: "summary"` has `summary`. */
interface PhaseResultData {
  phase: string;
  status?: "succeeded" | "failed" | undefined;
  output?: unknown;
  summary?: SummaryRecord | undefined;
}

/** Records that a payload was put into the artifact store. */
interface ArtifactStoredData extends Omit<ArtifactPart, "type"> {
  /** As in the artifact's handle, e.g. `tool:read_file`. */
  source: string;
  /** The call whose outcome holds the artifact. Absent if the application stored it. */
  callId?: string | undefined;
}

/** The data of each kind of event. */
export interface SessionEventData {
  user_input: UserInputData;
  memory_hit: MemoryHitData;
  tool_call: ToolCallData;
  tool_success: ToolOutcomeData;
  tool_error: ToolOutcomeData;
  tool_timeout: ToolTimeoutData;
  guard_decision: GuardDecisionData;
  phase_result: PhaseResultData;
  artifact_stored: ArtifactStoredData;
  assistant_message: AssistantMessageData;
}

/** The kinds of events. */
export type SessionEventKind = keyof SessionEventData;

/** An event's kind and data, without id and time. */
export type EventBody = {
  [Kind in SessionEventKind]: { readonly kind: Kind; readonly data: SessionEventData[Kind] };
}[SessionEventKind];

/** When and how an event was recorded. */
interface EventStamp {
  /** UUIDv7 by default, so that ids sort by time. */
  readonly eventId: string;
  /** Milliseconds since the epoch. Never earlier than the previous event. */
  readonly timestamp: number;
  /** Tokens that the event adds to a prompt, counted when it was recorded. 0 if it adds none. */
  readonly tokens: number;
}

/**
 * One entry of a session's log. Frozen. It is a union over the kinds, so a test of `kind` narrows
 * the type of `data`.
 */
export type SessionEvent<Kind extends SessionEventKind = SessionEventKind> = Extract<
  EventBody,
  { kind: Kind }
> &
  EventStamp;
