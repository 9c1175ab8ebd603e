import type {
  ProviderFields,
  ProviderPart,
  ReasoningPart,
  Role,
  TextPart,
  ToolCall,
} from "@ccl/core";

/** An image or a file inside an event: JSON has no bytes, so they stand as base64. One of `dataBase64` and `url` is set. */
interface EncodedMediaPart extends ProviderFields {
  type: "image" | "file";
  mimeType: string;
  dataBase64?: string | undefined;
  url?: string | undefined;
  filename?: string | undefined;
}

/** Stands where a payload was that went to the artifact store. */
export interface ArtifactPart {
  type: "artifact";
  /** As the artifact store gave it: 64 lower-case hex digits. */
  artifactId: string;
  handleId?: string | undefined;
  /** What a model sees of the payload; free of secrets. */
  summary: string;
  sizeBytes: number;
  mimeType: string;
}

/** One part of the content of an event. */
export type EventPart = TextPart | ReasoningPart | ProviderPart | EncodedMediaPart | ArtifactPart;

/** Text, or parts in the order in which a model gets them. */
export type EventContent = string | EventPart[];

/** What an event keeps of the message that it was, beside its content. */
export interface MessageFields extends ProviderFields {
  /** The message's own id. */
  id?: string | undefined;
  source?: string | undefined;
}

/** What a person or the application says. */
export interface UserInputData extends MessageFields {
  content: EventContent;
  /** `user` when absent; the operator's voice in a recorded transcript otherwise. */
  role?: Exclude<Role, "assistant" | "tool"> | undefined;
}

/** What the model says, and which tools it asks for. */
export interface AssistantMessageData extends MessageFields {
  content: EventContent;
  toolCalls?: ToolCall[] | undefined;
}

/** A tool is called: one that the assistant message before asked for, or one that the application calls by itself. */
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
  /** What the tool gave, or what was wrong. */
  content: EventContent;
  durationMs?: number | undefined;
  /** The call had its outcome already: recorded, never shown to a model. */
  isLate?: boolean | undefined;
  /** A read of an artifact, which is never externalised again. */
  isArtifactRead?: boolean | undefined;
  /** The artifact store refused the payload with this code, so that it stands here in full. */
  externalizeFailure?: string | undefined;
}

/** A tool did not answer in time. */
export interface ToolTimeoutData extends Omit<ToolOutcomeData, "content"> {
  timeoutMs: number;
  /** A sentence that names the limit, when absent. */
  content?: EventContent | undefined;
}

/** One thing that a memory service found. */
export interface MemoryHitData {
  memoryId: string;
  text: string;
  score?: number | undefined;
  query?: string | undefined;
  source?: string | undefined;
}

/** What a guard said of an input, a call or an answer. */
interface GuardDecisionData {
  guard: string;
  decision: "allow" | "block" | "modify";
  reason?: string | undefined;
  callId?: string | undefined;
  details?: unknown;
}

/** A summary that stands for a range of events, written once by a model. */
export interface SummaryRecord {
  text: string;
  /** The first and the last event that it stands for. */
  fromEventId: string;
  toEventId: string;
  /** Which model wrote it. */
  modelId?: string | undefined;
}

/** What a phase of the application's work ended with. `phase: "summary"` carries `summary`. */
interface PhaseResultData {
  phase: string;
  status?: "succeeded" | "failed" | undefined;
  output?: unknown;
  summary?: SummaryRecord | undefined;
}

/** A payload went to the artifact store. */
interface ArtifactStoredData extends Omit<ArtifactPart, "type"> {
  /** As in the artifact's handle, e.g. `tool:read_file`. */
  source: string;
  /** The call whose outcome holds the artifact; absent where the application stored it. */
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

/** What an event says, without id and time. */
export type EventBody = {
  [Kind in SessionEventKind]: { readonly kind: Kind; readonly data: SessionEventData[Kind] };
}[SessionEventKind];

/** When and how an event was recorded. */
interface EventStamp {
  /** UUIDv7 by default, so that ids sort by time. */
  readonly eventId: string;
  /** Milliseconds since the epoch; never less than that of the event before. */
  readonly timestamp: number;
  /** What the event adds to a prompt, counted when it was recorded; 0 for what reaches none. */
  readonly tokens: number;
}

/** One entry of a session's log; frozen. A union over the kinds: testing `kind` narrows the type of `data`. */
export type SessionEvent<Kind extends SessionEventKind = SessionEventKind> = Extract<
  EventBody,
  { kind: Kind }
> &
  EventStamp;

/** All kinds, in the order of the design. */
export const sessionEventKinds: readonly SessionEventKind[] = [
  "user_input",
  "memory_hit",
  "tool_call",
  "tool_success",
  "tool_error",
  "tool_timeout",
  "guard_decision",
  "phase_result",
  "artifact_stored",
  "assistant_message",
];
