import { throwIfAborted } from "@ccl/core/async";
import { SqlError } from "@ccl/sql";

import { OperationsError } from "../operations-error.ts";
import { operationsErrorOf } from "../ports/operations-error-of.ts";
import type { StoreCall } from "../ports/store-call.ts";
import {
  createGroupCommit,
  type Batch,
  type GroupCommit,
  type RunTransaction,
  type Write,
} from "./group-commit.ts";
import type { Steps } from "./statement.ts";

/** Runs steps on one kind of database. */
export interface StepRunner {
  /** True if transactions run concurrently. */
  isParallel: boolean;
  write: RunTransaction;
  /** All statements see the same snapshot. */
  readTogether: RunTransaction;
  /** Each statement has its own snapshot. */
  read: RunTransaction;
}

/** The database that all stores share. */
export interface SqlDatabase {
  /**
   * Adds a kind of write. Writes of a group that wait at the same time share a transaction. If the database runs one
   * transaction at a time, all groups share it.
   */
  writer<Request, Outcome>(group: string, batch: Batch<Request, Outcome>): Write<Request, Outcome>;
  /** Adds a kind of read. Reads that wait at the same time are combined. */
  reader<Request, Outcome>(batch: Batch<Request, Outcome>): Write<Request, Outcome>;
  read<Value>(steps: () => Steps<Value>, call: StoreCall | undefined): Promise<Value>;
  readTogether<Value>(steps: () => Steps<Value>, call: StoreCall | undefined): Promise<Value>;
  /** Waits for calls in progress, and refuses later ones. */
  close(): Promise<void>;
}

const maxAttempts = 3;

/** Creates the database of a runner. */
export function createSqlDatabase(runner: StepRunner): SqlDatabase {
  let isClosed = false;
  const underWay = new Set<Promise<unknown>>();
  const commits = new Map<string, GroupCommit>();
  const commitOf = (group: string): GroupCommit => {
    const name = runner.isParallel ? group : "all";
    const commit =
      commits.get(name) ?? createGroupCommit((steps) => withRetry(() => runner.write(steps)));
    commits.set(name, commit);
    return commit;
  };
  const reads = createGroupCommit((steps) => withRetry(() => runner.read(steps)));
  const begin = (call: StoreCall | undefined): void => {
    throwIfAborted(call?.signal, OperationsError);
    if (isClosed) throw new OperationsError("closed", "The stores are closed; open them again.");
  };
  const openOnly = <Request, Outcome>(run: Write<Request, Outcome>): Write<Request, Outcome> => {
    return async (request, call) => {
      begin(call);
      return run(request, call);
    };
  };
  const reading = async <Value>(
    run: () => Promise<Value>,
    call: StoreCall | undefined,
  ): Promise<Value> => {
    begin(call);
    const done = withRetry(run);
    const settled = done.catch(() => undefined).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return done;
  };
  return {
    writer: (group, batch) => openOnly(commitOf(group).add(batch)),
    reader: (batch) => openOnly(reads.add(batch)),
    read: (steps, call) => reading(() => runner.read(steps), call),
    readTogether: (steps, call) => reading(() => runner.readTogether(steps), call),
    async close() {
      isClosed = true;
      await Promise.all([
        ...underWay,
        ...[...commits.values(), reads].map((commit) => commit.idle()),
      ]);
    },
  };
}

/** Retries if the database preferred another transaction, since nothing of this one was stored. */
async function withRetry<Value>(action: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const isBusy = SqlError.isInstance(error) && error.code === "busy";
      if (!isBusy || attempt >= maxAttempts) throw operationsErrorOf(error);
    }
  }
}
