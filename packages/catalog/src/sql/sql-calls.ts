import type { SqlSteps } from "@ccl/sql";
import { throwIfAborted } from "@ccl/core/async";
import { CatalogError } from "../catalog-error.ts";
import { catalogErrorOf, type SqlRunner } from "./sql-runner.ts";

/** The calls of a store, which end before it is closed. */
export interface SqlCalls {
  /** Throws `aborted` and `closed`, before anything of the call is looked at. */
  begin(signal: AbortSignal | undefined): void;
  read<Value>(steps: () => SqlSteps<Value>, signal: AbortSignal | undefined): Promise<Value>;
  write<Value>(steps: () => SqlSteps<Value>, signal: AbortSignal | undefined): Promise<Value>;
  close(): Promise<void>;
}

/** Calls through a runner; `onClose` runs once, after the last of them. */
export function createSqlCalls(runner: SqlRunner, onClose: (() => void) | undefined): SqlCalls {
  const underWay = new Set<Promise<unknown>>();
  let closing: Promise<void> | undefined;
  const call = async <Value>(
    steps: () => SqlSteps<Value>,
    mode: "read" | "write",
    signal: AbortSignal | undefined,
  ): Promise<Value> => {
    const done = runner.run(steps, { mode, signal });
    const settled = done.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    try {
      return await done;
    } catch (error) {
      throw catalogErrorOf(error);
    }
  };
  return {
    begin(signal) {
      throwIfAborted(signal, CatalogError);
      if (closing !== undefined) throw new CatalogError("closed", "The catalog's store is closed.");
    },
    read: (steps, signal) => call(steps, "read", signal),
    write: (steps, signal) => call(steps, "write", signal),
    close() {
      closing ??= Promise.all(underWay).then(() => onClose?.());
      return closing;
    },
  };
}
