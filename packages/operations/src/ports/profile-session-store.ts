import type {
  ArtifactVersion,
  ArtifactWrite,
  OperationArtifact,
} from "../artifact/operation-artifact.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { StoreCall } from "./store-call.ts";

/** What the state of a profile between runs hangs on. The profile's version is no part of it. */
export interface ProfileSessionKey {
  chatId: string;
  branchId: string;
  profileId: string;
  operationProfileSessionId: string;
}

/** The state that a turn works on. */
export interface SessionSnapshot {
  /** As they were when the turn began, in the order of their tags' code units. */
  artifacts: OperationArtifact[];
  /** By tag: the newest version of all, 0 never. Higher than the artifact's own where the turn has been run before. */
  heads: Record<string, number>;
}

/** A version with the tag that it is of. */
export interface KeptVersion extends ArtifactVersion {
  tag: string;
}

/** The one persisted write of an operation. */
export interface SessionWrite {
  operationId: string;
  /** Its `expectedVersion` is the engine's to check, not the store's. */
  write: ArtifactWrite;
  /** The head that the writer knows, 0 for none; another head is a conflict. */
  expectedHead: number;
  /** The version that the value is based on: the turn's own where a turn is run again. Absent for the first. */
  parentVersion?: number | undefined;
  /** True: where this one is in conflict nothing of the whole commit is written. */
  isRequired: boolean;
}

/** The persisted writes of one hook of a run. */
export interface SessionCommit {
  key: ProfileSessionKey;
  runId: string;
  hook: Hook;
  /**
   * Of the run's lease. The store keeps the highest token that has written to the session, and refuses lower ones.
   * Tokens rise over all runs of a run store.
   */
  fencingToken: number;
  /** Milliseconds since the epoch; stands in the versions. */
  writtenAt: number;
  /** In commit order; tags do not repeat. */
  writes: readonly SessionWrite[];
}

/** What became of a write. */
export type SessionWriteOutcome =
  /** `changed` is false for a value equal to the head's (with its content type, usage, semantics, inclusion and retention). */
  | { operationId: string; status: "written"; version: number; changed: boolean }
  /** `head`: what is there instead. */
  | { operationId: string; status: "conflict"; head: number }
  /** Not written, since a required write of the commit is in conflict. */
  | { operationId: string; status: "discarded" };

/** Which write is rolled back. */
export interface SessionRevert {
  key: ProfileSessionKey;
  runId: string;
  hook: Hook;
  fencingToken: number;
  operationIds: readonly string[];
}

/**
 * Where the state of profiles between runs is kept, in versions. A version is the head's successor, and its parent the
 * one it was made from. `history` of an artifact follows the parents, newest last, and keeps what the version's own
 * retention allows (see `retainHistory`); default 20. Values are JSON and come back as they were written.
 */
export interface ProfileSessionStore {
  /** The heads, with their histories. Empty for a session that is not there. */
  read(key: ProfileSessionKey, options?: StoreCall): Promise<SessionSnapshot>;
  /**
   * The state as it was when the turn began: the first call for a turn fixes the heads of that moment, and later calls
   * give the same versions. At least the 20 turns opened last can be read.
   * @throws OperationsError `unknown_turn` where the versions of that turn are no longer kept
   */
  openTurn(
    key: ProfileSessionKey,
    turn: { userMessageId: string },
    options?: StoreCall,
  ): Promise<SessionSnapshot>;
  /** All versions that are kept, in any order: those of former turns among them. */
  versions(key: ProfileSessionKey, options?: StoreCall): Promise<KeptVersion[]>;
  /**
   * Writes in order, in one transaction; gives an outcome for each write, in the same order. A write that this
   * `(runId, hook, operationId)` has written already gives its first outcome again and changes nothing. Of an equal value
   * no version is added, provided that the head is the parent.
   * @throws OperationsError `stale_lease` for a lower fencing token than the session has seen
   */
  commit(commit: SessionCommit, options?: StoreCall): Promise<SessionWriteOutcome[]>;
  /**
   * Takes back what these operations have written, where it is still the head; what is not there is left out. Then they
   * can commit again. @throws OperationsError `stale_lease`
   */
  revert(revert: SessionRevert, options?: StoreCall): Promise<void>;
}
