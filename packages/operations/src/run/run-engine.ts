import type { Result } from "@ccl/core";

import type { RunEvent } from "../events/run-event.ts";
import type { Hook } from "../operation/operation-definition.ts";
import type { SaveProfileOptions } from "../ports/profile-store.ts";
import type { OperationProfile } from "../profile/operation-profile.ts";
import type { ValidProfile } from "../profile/validate-profile.ts";
import type { StartOptions } from "./engine-options.ts";
import type { EventReading, RunHandle } from "./live-run.ts";
import type { PruneOptions } from "./prune-records.ts";

/** Runs turns of a chat: operations, one main model call, operations. */
export interface RunEngine {
  /**
   * Accepts a run and begins it. Under `queue` and `abort_previous` it waits for the run before.
   * @throws OperationsError `invalid_options`, `invalid_profile`, `unknown_profile`, `unknown_turn`, `run_active`,
   *   `idempotency_conflict`, `aborted`
   */
  start(options: StartOptions): Promise<RunHandle>;
  /**
   * The handle of a run of any worker; a run without a worker resumes here. What has
   * ended never runs again. @throws OperationsError `unknown_run`
   */
  resume(runId: string, options?: { signal?: AbortSignal | undefined }): Promise<RunHandle>;
  /**
   * Ends a run of any worker, with or without a handle; one without a worker ends here. False if it has ended already.
   * @throws OperationsError `unknown_run`
   */
  abort(runId: string, reason?: string): Promise<boolean>;
  /**
   * Answers an operation that waits, by its id or its name in the profile; the first answer stays, and may come before it is
   * waited for. False if it has an answer already or the run has ended. @throws OperationsError `unknown_run`, `invalid_options`
   */
  answer(runId: string, answer: RunAnswer): Promise<boolean>;
  /** Resumes the runs whose worker has died, as the engine does by itself unless `recover` is false; gives their ids. */
  recover(): Promise<string[]>;
  /**
   * A run's events in order, the stored ones and then live, until `run.finished`.
   * @throws OperationsError `unknown_run`, `invalid_options` as it is read
   */
  events(runId: string, options?: EventReading): AsyncIterable<RunEvent>;
  /**
   * Validates and stores a profile; gives it with its new version, or every issue.
   * @throws OperationsError `version_conflict`
   */
  saveProfile(
    profile: OperationProfile,
    options?: SaveProfileOptions,
  ): Promise<Result<ValidProfile>>;
  /**
   * Gives the profile a new session, so that its next run begins without state; the old one stays readable.
   * @throws OperationsError `unknown_profile`
   */
  resetProfileSession(
    profileId: string,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<OperationProfile>;
  /**
   * Deletes runs that have ended, with their events and steps, and then what `artifacts` keeps of values that nothing shows any
   * more. Gives how many runs. Chats, sessions and profiles stay, and runs of remembered request ids.
   */
  pruneRuns(options?: PruneOptions): Promise<number>;
  /** Operations that run and that wait for a place, over all runs. */
  counts(): { running: number; waiting: number };
}

/** What a person answers. */
export interface RunAnswer {
  /** The operation's id, or its name in the profile. */
  operation: string;
  /** JSON. */
  value: unknown;
  /** Of an operation in both; default the first of its hooks. */
  hook?: Hook | undefined;
}
