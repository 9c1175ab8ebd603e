import type { ArtifactStore } from "@ccl/artifact-store";
import type { Clock, IdGenerator, TokenCounter } from "@ccl/core";
import type { EvidencePack } from "../evidence/evidence-pack.ts";
import type { EventDraft, SessionEventInput } from "./event-input.ts";
import type { EventLog, RecordOptions } from "./event-log.ts";
import type { SessionEvent, SessionEventKind } from "./session-event.ts";
import type { SessionMessage } from "./session-timeline.ts";

/** How a session records. */
export interface SessionOptions {
  /** A new UUIDv7 by default. 1 to 200 characters, none of them a control character. */
  sessionId?: string | undefined;
  /** Where large tool results go; without it they stay in the log. */
  artifactStore?: ArtifactStore | undefined;
  /** Content of an outcome that counts more goes to the artifact store; 1,000 by default. What a prompt shows of it depends on the room alone. */
  offloadAboveTokens?: number | undefined;
  /** The same under an earlier name. */
  externalizeAboveTokens?: number | undefined;
  counter?: TokenCounter | undefined;
  clock?: Clock | undefined;
  /** Of the events; UUIDv7 by default. No id may come twice. */
  ids?: IdGenerator | undefined;
  /** Masks the secrets of every text before it is stored or summed up; core's `redactSecrets` by default, `false` for none. */
  redact?: ((text: string) => string) | false | undefined;
}

/** One conversation: an append-only log of what happened, from which prompts are compiled. */
export interface Session {
  readonly sessionId: string;
  readonly eventLog: EventLog;
  /** Counted the events' tokens. */
  readonly counter: TokenCounter;
  /** Absent where large results stay in the log. */
  readonly artifactStore?: ArtifactStore | undefined;
  readonly offloadAboveTokens?: number | undefined;
  /**
   * Adds an event, in the order of the calls, once the store has it. A large outcome first goes to the artifact store,
   * with an `artifact_stored` event before its own. There is no limit to how long the stores may take: a signal ends the
   * wait, unless the session's store is appending already, whose answer alone shows whether the event is there.
   * @throws ContextCompilerError `invalid_event`, `closed` or `aborted`, or the `RecordsError` of the store, such as
   *   `conflict`; nothing is recorded then
   */
  record<Kind extends SessionEventKind>(
    kind: Kind,
    data: SessionEventInput[Kind],
    options?: RecordOptions,
  ): Promise<SessionEvent<Kind>>;
  /** All of them or none; the events in order, with the `artifact_stored` that they took. */
  recordAll(drafts: readonly EventDraft[], options?: RecordOptions): Promise<SessionEvent[]>;
  /** The messages of the log in the order in which a model gets them, as of now: the list is yours, the messages are frozen. */
  messages(): readonly SessionMessage[];
  toEvidencePack(): EvidencePack;
  /** Keeps a JSON text beside the log, such as a compiler's frozen cut; undefined removes it. The last write wins. */
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
   * Takes in the events that other writers have recorded in this session since, and returns how many there were. After a
   * `conflict` the next `record` then follows them.
   * @throws ContextCompilerError `aborted`, or the `RecordsError` of the store
   */
  refresh(options?: { signal?: AbortSignal | undefined }): Promise<number>;
  /** Waits for records under way; later calls fail with `closed`. The store stays open. */
  close(): Promise<void>;
}
