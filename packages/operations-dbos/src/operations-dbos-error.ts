import { CclError } from "@ccl/core";

/**
 * `invalid_options`: an option of the wrong form. `name_taken`: this process has an executor of that name already, or
 * another process a worker of that name. `already_launched`: DBOS runs in this process already. `launch_failed`: DBOS did
 * not start. `database_failed`: PostgreSQL refused a call; see `cause`. `closed`: the worker is closed. `not_ended`: a run
 * could not be carried to its end here. `not_started`: an operation's workflow could not be started; the run went on
 * without it. `takeovers_exceeded`: a run has outlived too many workers and is left alone.
 */
export type OperationsDbosErrorCode =
  | "invalid_options"
  | "name_taken"
  | "already_launched"
  | "launch_failed"
  | "database_failed"
  | "closed"
  | "not_ended"
  | "not_started"
  | "takeovers_exceeded";

/** What this package throws, and hands to `onError`. */
export class OperationsDbosError extends CclError<OperationsDbosErrorCode> {
  static override readonly brand: string = "OperationsDbosError";
}
