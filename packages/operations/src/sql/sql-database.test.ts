import { SqlError } from "@ccl/sql";
import { describe, expect, it } from "vitest";

import { OperationsError } from "../operations-error.ts";
import type { Batch } from "./group-commit.ts";
import { createSqlDatabase, type StepRunner } from "./sql-database.ts";
import type { Steps } from "./statement.ts";

interface Request {
  key: string;
  name: string;
}

/** Records what each transaction did; fails with the errors that are given, the next one first. */
function recording(failures: unknown[] = []): {
  runner: StepRunner;
  transactions: string[][];
  batch: Batch<Request, string>;
} {
  const transactions: string[][] = [];
  let names: string[] = [];
  const batch: Batch<Request, string> = {
    keyOf: ({ key }) => key,
    // oxlint-disable-next-line require-yield -- recording needs no statement
    *steps(requests) {
      names.push(requests.map(({ name }) => name).join("+"));
      return requests.map(({ name }) =>
        name === "bad" ? new OperationsError("unknown_run", "No run.") : `done ${name}`,
      );
    },
  };
  const write = async <Value>(steps: () => Steps<Value>): Promise<Value> => {
    names = [];
    const step = steps().next();
    transactions.push(names);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    if (step.done !== true) throw new Error("A statement was not expected.");
    return step.value;
  };
  return {
    runner: { isParallel: false, write, read: write, readTogether: write },
    transactions,
    batch,
  };
}

const named = (...names: string[]): Request[] => names.map((name) => ({ key: name, name }));

describe("createSqlDatabase", () => {
  it("carries out requests of one key one after the other, and the others together", async () => {
    const { runner, transactions, batch } = recording();
    const write = createSqlDatabase(runner).writer("group", batch);
    const requests = [...named("a", "b"), { key: "a", name: "a2" }, { key: "a", name: "a3" }];
    const outcomes = await Promise.all(requests.map((request) => write(request)));
    expect(outcomes).toEqual(["done a", "done b", "done a2", "done a3"]);
    expect(transactions).toEqual([["a+b", "a2", "a3"]]);
  });

  it("carries out all of them again after another's transaction was preferred", async () => {
    const { runner, transactions, batch } = recording([new SqlError("busy", "Deadlock.")]);
    const write = createSqlDatabase(runner).writer("group", batch);
    const outcomes = await Promise.all(named("a", "b").map((request) => write(request)));
    expect(outcomes).toEqual(["done a", "done b"]);
    expect(transactions).toEqual([["a+b"], ["a+b"]]);
  });

  it("tries each by itself after a failure, and refuses the one that fails again", async () => {
    const failed = new SqlError("constraint", "A rule was broken.");
    const { runner, transactions, batch } = recording([failed, failed]);
    const write = createSqlDatabase(runner).writer("group", batch);
    const outcomes = await Promise.allSettled(
      named("a", "b", "bad").map((request) => write(request)),
    );
    expect(outcomes).toMatchObject([
      { status: "rejected", reason: { code: "store_failed", cause: failed } },
      { status: "fulfilled", value: "done b" },
      { status: "rejected", reason: { code: "unknown_run" } },
    ]);
    expect(transactions).toEqual([["a+b+bad"], ["a"], ["b"], ["bad"]]);
  });

  it("writes what comes up during a transaction in the next", async () => {
    const { runner, transactions, batch } = recording();
    const write = createSqlDatabase(runner).writer("group", batch);
    const first = write({ key: "a", name: "a" });
    await first;
    await Promise.all(named("b", "c").map((request) => write(request)));
    expect(transactions).toEqual([["a"], ["b+c"]]);
  });
});
