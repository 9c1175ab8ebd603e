import type {
  ProviderFields,
  ProviderPart,
  ReasoningPart,
  Role,
  TextPart,
  ToolCall,
} from "@ccl/core";

/**
 * An image or file inside an event. Its bytes are stored as base64, since JSON has no bytes. Either `dataBase64` or
 * `url` is set.
 */
interface EncodedMediaPart extends ProviderFields {
  type: "image" | "file";
  mimeType: string;
  dataBase64?: string | undefined;
  url?: string | undefined;
  filename?: string | undefined;
}

/** Stands for a payload in the artifact store. */
export interface ArtifactPart {
  type: "artifact";
  /** Id in the artifact store: 64 lower-case hex digits. */
  artifactId: string;
  handleId?: string | undefined;
  /** What a model sees of the payload. Free of secrets. */
  summary: string;
  sizeBytes: number;
  mimeType: string;
}

/** One part of an event's content. */
export type EventPart = TextPart | ReasoningPart | ProviderPart | EncodedMediaPart | ArtifactPart;

/** Text, or parts in the model's order. */
export type EventContent = string | EventPart[];

/** The fields of a message, besides its content, that are stored in an event. */
export interface MessageFields extends ProviderFields {
  /** The message's own id. */
  id?: string | undefined;
  source?: string | undefined;
}

/** What a person or the application said. */
export interface UserInputData extends MessageFields {
  content: EventContent;
  /** `user` by default. Set to another role for system or developer messages of a recorded transcript. */
  role?: Exclude<Role, "assistant" | "tool"> | undefined;
}

/** What the model said, and which tools it requested. */
export interface AssistantMessageData extends MessageFields {
  content: EventContent;
  toolCalls?: ToolCall[] | undefined;
}

/** A tool call requested by the previous assistant message, or started by the application itself. */
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
  /** True if the call read an artifact. Its result is never offloaded again. */
  isArtifactRead?: boolean | undefined;
  /** The artifact store's error code if it rejected the payload. In that case the event holds the full payload. */
  externalizeFailure?: string | undefined;
}

/** A tool did not answer in time. */
export interface ToolTimeoutData extends Omit<ToolOutcomeData, "content"> {
  timeoutMs: number;
  /** A sentence that names the time limit, by default. */
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

/** A guard's decision about an input, a call or an answer. */
interface GuardDecisionData {
  guard: string;
  decision: "allow" | "block" | "modify";
  reason?: string | undefined;
  callId?: string | undefined;
  details?: unknown;
}

/** A summary that replaces a range of events. A model writes it once. */
export interface SummaryRecord {
  text: string;
  /** The first and last events that it summarizes. */
  fromEventId: string;
  toEventId: string;
  /** The model that wrote it. */
  modelId?: string | undefined;
}

/** The result of a phase of the application's work. With `phase: "summary"`, `summary` is set. */
interface PhaseResultData {
  phase: string;
  status?: "succeeded" | "failed" | undefined;
  output?: unknown;
  summary?: SummaryRecord | undefined;
}

/** Records that a payload was stored in the artifact store. */
interface ArtifactStoredData extends Omit<ArtifactPart, "type"> {
  /** Same as in the artifact's handle, e.g. `tool:read_file`. */
  source: string;
  /** The call whose outcome contains the artifact. Absent if the application stored it. */
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

/** An event's kind and data, without its id and time. */
export type EventBody = {
  [Kind in SessionEventKind]: { readonly kind: Kind; readonly data: SessionEventData[Kind] };
}[SessionEventKind];

/** When and how an event was recorded. */
interface EventStamp {
  /** UUIDv7 by default, so that ids sort by time. */
  readonly eventId: string;
  /** Milliseconds since the epoch. Never earlier than the previous event. */
  readonly timestamp: number;
  /** Tokens that the event adds to a prompt, counted when recorded. 0 if it adds none. */
  readonly tokens: number;
}

/**
 * One entry of a session's log. Frozen. This is a union over the kinds, so checking `kind` narrows the type of `data`.
 */
export type SessionEvent<Kind extends SessionEventKind = SessionEventKind> = Extract<
  EventBody,
  { kind: Kind }
> &
  EventStamp;
