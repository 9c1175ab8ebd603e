import type { Result } from "@ccl/core";

import type { RunEvent } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { SaveProfileOptions } from "../ports/profile-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type { ValidProfile } from "../profile/validate-profile.ts";
import type { StartOptions } from "./engine-options.ts";
import type { EventReading, RunHandle } from "./live-run.ts";
import type { PruneOptions } from "./recover-runs.ts";

/** Runs turns of a chat: operations, one main model call, then more operations. */
export interface RunEngine {
  /**
   * Creates a run and starts it. With `queue` and `abort_previous` it waits for the previous run.
   * @throws OperationsError `invalid_options`, `invalid_profile`, `unknown_profile`, `unknown_turn`, `run_active`,
   *   `idempotency_conflict`, `aborted`
   */
  start(options: StartOptions): Promise<RunHandle>;
  /**
   * Returns the handle of any worker's run, and resumes the run if it has no worker. An ended run never runs again.
   * @throws OperationsError `unknown_run`
   */
  resume(runId: string, options?: { signal?: AbortSignal | undefined }): Promise<RunHandle>;
  /**
   * Aborts any worker's run, with or without a handle. A run without a worker ends here. Returns false if it has ended.
   * @throws OperationsError `unknown_run`
   */
  abort(runId: string, reason?: string): Promise<boolean>;
  /**
   * Answers a waiting operation, by its id or its name in the profile. The first answer is kept, and may arrive before
   * the operation starts to wait. Returns false if it already has an answer or the run has ended.
   * @throws OperationsError `unknown_run`, `invalid_options`
   */
  answer(runId: string, answer: RunAnswer): Promise<boolean>;
  /** Resumes runs whose worker has died. The engine does this itself unless `recover` is false. Returns their ids. */
  recover(): Promise<string[]>;
  /**
   * Streams a run's events in order, first stored and then live ones, until `run.finished`.
   * @throws OperationsError `unknown_run`, `invalid_options` when it is read
   */
  events(runId: string, options?: EventReading): AsyncIterable<RunEvent>;
  /**
   * Validates and stores a profile. Returns it with its new version, or returns all issues.
   * @throws OperationsError `conflict`
   */
  saveProfile(
    profile: OperationProfile,
    options?: SaveProfileOptions,
  ): Promise<Result<ValidProfile>>;
  /**
   * Starts a new session of the profile, so that its next run starts without state. The old session remains readable.
   * @throws OperationsError `unknown_profile`
   */
  resetProfileSession(
    profileId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<OperationProfile>;
  /**
   * Deletes ended runs with their events and steps, and then values in `artifacts` that are no longer in use. Returns
   * the number of runs. Keeps chats, sessions and profiles, and also runs whose request ids are remembered.
   */
  pruneRuns(options?: PruneOptions): Promise<number>;
  /** Returns the number of operations running and waiting for a slot, across all runs. */
  counts(): { running: number; waiting: number };
}

/** A person's answer. */
export interface RunAnswer {
  /** The operation's id, or its name in the profile. */
  operation: string;
  /** Any JSON value. */
  value: unknown;
  /** Needed for an operation in both hooks. Defaults to the first of its hooks. */
  hook?: Hook | undefined;
}
