import { CclError } from "@ccl/core";

/**
 * `name_taken`: this process already has an executor with that name. `already_launched`: DBOS is already running in
 * this process. `launch_failed`: DBOS did not start. `database_failed`: PostgreSQL rejected a call, see `cause`.
 * `closed`: the worker is closed. `not_ended`: a run could not be finished here.
 */
export type OperationsDbosErrorCode =
  | "name_taken"
  | "already_launched"
  | "launch_failed"
  | "database_failed"
  | "closed"
  | "not_ended";

/** The error that this package throws. */
export class OperationsDbosError extends CclError<OperationsDbosErrorCode> {
  static override readonly brand: string = "OperationsDbosError";
}
