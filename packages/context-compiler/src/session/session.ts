import type { ArtifactStore } from "@ccl/artifact-store";
import type { Clock, IdGenerator, TokenCounter } from "@ccl/core";
import type { EvidencePack } from "../evidence/evidence-pack.ts";
import type { EventDraft, SessionEventInput } from "./event-input.ts";
import type { EventLog, RecordOptions } from "./event-log.ts";
import type { SessionEvent, SessionEventKind } from "../event/session-event.ts";
import type { SessionMessage } from "./session-timeline.ts";

/** Options of a session. */
export interface SessionOptions {
  /** A new UUIDv7 by default. 1 to 200 characters, none of them a control character. */
  sessionId?: string | undefined;
  /** Stores large tool results. Without it, they stay in the log. */
  artifactStore?: ArtifactStore | undefined;
  /**
   * Outcomes with more tokens go to the artifact store. 1,000 by default. How much a prompt shows of them depends only
   * on the available room.
   */
  offloadAboveTokens?: number | undefined;
  /** An earlier name of `offloadAboveTokens`. */
  externalizeAboveTokens?: number | undefined;
  counter?: TokenCounter | undefined;
  clock?: Clock | undefined;
  /** Generates event ids, which must be unique. UUIDv7 by default. */
  ids?: IdGenerator | undefined;
  /**
   * Masks the secrets of every text before it is stored or summarized. Core's `redactSecrets` by default, `false` for
   * none.
   */
  redact?: ((text: string) => string) | false | undefined;
}

/** One conversation: an append-only log of what happened, from which prompts are compiled. */
export interface Session {
  readonly sessionId: string;
  readonly eventLog: EventLog;
  /** Counts the events' tokens. */
  readonly counter: TokenCounter;
  /** Absent if large results stay in the log. */
  readonly artifactStore?: ArtifactStore | undefined;
  readonly offloadAboveTokens?: number | undefined;
  /** As in `SessionOptions`. */
  readonly redact?: SessionOptions["redact"];
  /**
   * Records an event. It is in the log once the store has it, and events keep the order of the
   * calls. A large outcome first goes to the artifact store, with an `artifact_stored` event before
   * its own. Waits for the stores without a time limit. A signal ends the wait, except during an
   * append to the session's store, since only its result shows whether the event was stored.
   * @throws ContextCompilerError `invalid_event`, `closed` or `aborted`, or the store's
   * `RecordsError`, such as `conflict`. Nothing is recorded then.
   */
  record<Kind extends SessionEventKind>(
    kind: Kind,
    data: SessionEventInput[Kind],
    options?: RecordOptions,
  ): Promise<SessionEvent<Kind>>;
  /**
   * Records all events or none. Returns them in order, each with its `artifact_stored` before it.
   */
  recordAll(drafts: readonly EventDraft[], options?: RecordOptions): Promise<SessionEvent[]>;
  /**
   * Returns the current messages of the log in the model's order. The list is a copy that you may
   * change. The messages are frozen.
   */
  messages(): readonly SessionMessage[];
  toEvidencePack(): EvidencePack;
  /** Stores a JSON text beside the log, such as a compiler's frozen cut. Undefined removes it. The last write wins. */
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
   * Reads the events that other writers have recorded in this session, and returns their number.
   * After a `conflict`, the next `record` then follows them.
   * @throws ContextCompilerError `aborted`, or the store's `RecordsError`
   */
  refresh(options?: { signal?: AbortSignal | undefined }): Promise<number>;
  /** Waits for pending records. Later calls fail with `closed`. The store stays open. */
  close(): Promise<void>;
}
