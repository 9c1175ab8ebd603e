import type { SqliteDatabase } from "@ccl/sql";

/** True where the statement is to give a row of its own, so that its reader gets the turn. */
type RowTaker = (values: readonly unknown[]) => boolean;

/** Runs an action in which a statement calls the function; what that gets goes to the taker. Rethrows what the taker threw. */
export interface RowCollector {
  functionName: string;
  during<T>(take: RowTaker, action: () => T): T;
}

type Handle = SqliteDatabase["handle"];

/** SQLite's functions take 100 arguments in its older builds. */
const mostColumns = 100;
const collectors = new WeakMap<Handle, RowCollector>();

/** The collector of a connection, whose driver has user-defined functions; undefined where it has none. */
export function collectorOf(handle: Handle, columnCount: number): RowCollector | undefined {
  if (columnCount > mostColumns || !hasFunctions(handle)) return undefined;
  const known = collectors.get(handle);
  if (known !== undefined) return known;
  const collector = defineCollector(handle);
  if (collector !== undefined) collectors.set(handle, collector);
  return collector;
}

interface FunctionHandle {
  function(name: string, options: object, call: (...values: unknown[]) => number): unknown;
}

function hasFunctions(handle: Handle): handle is Handle & FunctionHandle {
  return "function" in handle && typeof handle.function === "function";
}

/** A name that no other copy of this module has taken on the connection. */
function freeName(handle: Handle): string {
  for (let number = 1; ; number++) {
    const name = `ccl_collect_${number}`;
    try {
      handle.prepare(`select ${name}()`);
    } catch {
      return name;
    }
  }
}

function defineCollector(handle: Handle & FunctionHandle): RowCollector | undefined {
  const functionName = freeName(handle);
  let taker: RowTaker | undefined;
  let failure: { error: unknown } | undefined;
  const call = (...values: unknown[]): number => {
    try {
      return taker === undefined || taker(values) ? 1 : 0;
    } catch (error) {
      // Kept from the driver, which would wrap it; the row ends the statement's step.
      failure ??= { error };
      return 1;
    }
  };
  try {
    // Bigints by the names that node:sqlite and better-sqlite3 have for them.
    handle.function(
      functionName,
      { varargs: true, useBigIntArguments: true, safeIntegers: true },
      call,
    );
  } catch {
    // better-sqlite3 takes none while rows are read.
    return undefined;
  }
  return {
    functionName,
    during(take, action) {
      const outer = taker;
      taker = take;
      try {
        const result = action();
        if (failure !== undefined) throw failure.error;
        return result;
      } finally {
        taker = outer;
        failure = undefined;
      }
    },
  };
}
