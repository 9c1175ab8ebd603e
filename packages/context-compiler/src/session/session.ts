import type { ArtifactStore } from "@ccl/artifact-store";
import type { Clock, IdGenerator, TokenCounter } from "@ccl/core";
import type { EvidencePack } from "../evidence/evidence-pack.ts";
import type { EventDraft, SessionEventInput } from "./event-input.ts";
import type { EventLog, RecordOptions } from "./event-log.ts";
import type { SessionEvent, SessionEventKind } from "../event/session-event.ts";
import type { SessionMessage } from "./session-timeline.ts";

/** Options of a session. */
export interface SessionOptions {
  /** 1 to 200 characters without control characters. A new UUIDv7 by default. */
  sessionId?: string | undefined;
  /** Stores large tool results. If absent, they stay in the log. */
  artifactStore?: ArtifactStore | undefined;
  /**
   * Outcomes with more tokens than this go to the artifact store. 1,000 by default. How much of them a prompt shows
   * depends only on the available room.
   */
  offloadAboveTokens?: number | undefined;
  counter?: TokenCounter | undefined;
  clock?: Clock | undefined;
  /** Generates unique event ids. UUIDv7 by default. */
  ids?: IdGenerator | undefined;
  /**
   * Masks secrets in every text before it is stored or summarized. Core's `redactSecrets` by default. `false` disables
   * masking.
   */
  redact?: ((text: string) => string) | false | undefined;
}

/** One conversation. An append-only log of what happened, which prompts are compiled from. */
export interface Session {
  readonly sessionId: string;
  readonly eventLog: EventLog;
  /** Counts the events' tokens. */
  readonly counter: TokenCounter;
  /** Absent if large results are kept in the log. */
  readonly artifactStore?: ArtifactStore | undefined;
  readonly offloadAboveTokens?: number | undefined;
  /** As in `SessionOptions`. */
  readonly redact?: SessionOptions["redact"];
  /**
   * Records an event. The event is in the log once the store has it. Events keep the order of the calls. A large
   * outcome first goes to the artifact store, and its `artifact_stored` event precedes its own. Waits for the stores
   * without a time limit. A signal ends the wait, except during an append to the session's store, since only its result
   * shows whether the event was stored.
   * @throws ContextCompilerError `invalid_event`, `closed` or `aborted`, or the store's `RecordsError`, such as
   * `conflict`. In these cases nothing is recorded.
   */
  record<Kind extends SessionEventKind>(
    kind: Kind,
    data: SessionEventInput[Kind],
    options?: RecordOptions,
  ): Promise<SessionEvent<Kind>>;
  /** Records all events or none. Returns them in order, each preceded by its `artifact_stored` events. */
  recordAll(drafts: readonly EventDraft[], options?: RecordOptions): Promise<SessionEvent[]>;
  /**
   * Returns the log's current messages in the model's order. The list is a copy, which you may change. The messages are
   * frozen.
   */
  messages(): readonly SessionMessage[];
  toEvidencePack(): EvidencePack;
  /** Stores JSON text alongside the log, such as a compiler's frozen cut. Undefined removes it. The last write wins. */
  saveState(
    key: string,
    json: string | undefined,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<void>;
  loadState(
    key: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<string | undefined>;
  /**
   * Reads events that other writers recorded in this session. Returns their number. After a `conflict`, the next
   * `record` then follows them.
   * @throws ContextCompilerError `aborted`, or the store's `RecordsError`
   */
  refresh(options?: { signal?: AbortSignal | undefined }): Promise<number>;
  /** Waits for pending records. Later calls fail with `closed`. Does not close the store. */
  close(): Promise<void>;
}
