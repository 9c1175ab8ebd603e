import type { ChildProcess } from "node:child_process";
import { throwIfAborted } from "@ccl/core/async";
import { SqlError } from "../sql-error.ts";
import type { ReadApart, SqliteValue } from "../sqlite/sqlite-database.ts";
import { sqliteErrorOf } from "../sqlite/sqlite-error-of.ts";
import type { SqliteDriverName } from "./find-sqlite-driver.ts";

/**
 * Source of the reader process. A thread would not work, because terminating a worker waits for its current SQLite
 * call. The watcher thread ends the process if its parent dies while SQLite is busy.
 */
const program = `
const { Worker } = require("node:worker_threads");
new Worker("setInterval(() => process.ppid === " + process.ppid + " || process.kill(process.pid, 'SIGKILL'), 500)", { eval: true }).unref();
process.on("disconnect", () => process.exit());
// The statement is kept in a variable, because this driver ends a read when its statement is collected.
let database, statement, rows;
process.on("message", (message) => {
  try {
    if (message.open) {
      const { DatabaseSync } = require(message.open.driver);
      database = new DatabaseSync(message.open.address, { readOnly: true });
      database.exec("PRAGMA query_only = 1; PRAGMA busy_timeout = " + message.open.busyTimeoutMs);
      return;
    }
    if (message.sql !== undefined) {
      statement = database.prepare(message.sql);
      statement.setReadBigInts(true);
      statement.setReturnArrays?.(true);
      rows = statement.iterate(...message.parameters);
    }
    const batch = [];
    while (batch.length < message.batchRows) {
      const { done, value } = rows.next();
      if (done) return process.send({ rows: batch, done: true });
      batch.push(Array.isArray(value) ? value : Object.values(value));
    }
    process.send({ rows: batch, done: false });
  } catch (error) {
    rows = undefined;
    const { message: text, code, errcode, sqliteCode } = error;
    process.send({ error: { message: text, code, errcode, sqliteCode } });
  }
});
`;

interface Answer {
  rows?: SqliteValue[][];
  done?: boolean;
  error?: { message: string };
}

interface ReaderOptions {
  driver: SqliteDriverName;
  address: () => Promise<string>;
  busyTimeoutMs: number;
}

/**
 * Reads a file in separate processes. Aborting a read kills its process. One idle process is kept for the next
 * read.
 */
export function createProcessReader(options: ReaderOptions): {
  readApart: ReadApart;
  close(): void;
} {
  let idle: ChildProcess | undefined;
  let isOpen = true;
  const running = new Set<ChildProcess>();
  return {
    async *readApart(sql, parameters, { batchRows, signal }) {
      throwIfAborted(signal, SqlError);
      if (!isOpen) throw new SqlError("closed", "The database is closed.");
      const reused = idle;
      idle = undefined;
      const child = reused ?? (await start(options));
      running.add(child);
      const kill = (): void => void child.kill("SIGKILL");
      signal?.addEventListener("abort", kill, { once: true });
      let isFinished = false;
      try {
        let answer = await ask(child, { sql, parameters: [...parameters], batchRows });
        for (;;) {
          throwIfAborted(signal, SqlError);
          if (answer.error !== undefined) isFinished = true;
          if (answer.error !== undefined) throw failureOf(answer.error);
          isFinished = answer.done === true;
          if (answer.rows !== undefined && answer.rows.length > 0) yield answer.rows;
          if (isFinished) return;
          answer = await ask(child, { batchRows });
        }
      } catch (error) {
        throwIfAborted(signal, SqlError);
        throw error;
      } finally {
        signal?.removeEventListener("abort", kill);
        running.delete(child);
        if (isFinished && isOpen && idle === undefined && child.connected && !child.killed) {
          idle = child;
          child.unref();
          child.channel?.unref();
        } else kill();
      }
    },
    close() {
      isOpen = false;
      idle?.kill("SIGKILL");
      for (const child of running) child.kill("SIGKILL");
    },
  };
}

async function start(options: ReaderOptions): Promise<ChildProcess> {
  const { driver, busyTimeoutMs } = options;
  const address = await options.address();
  // Looked up at run time, so that bundles for other platforms need not resolve these modules.
  const { spawn } = process.getBuiltinModule("node:child_process");
  const { createRequire } = process.getBuiltinModule("node:module");
  const child = spawn(process.execPath, ["-e", program], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
    env: {},
  });
  const resolved =
    driver === "node:sqlite" ? driver : createRequire(import.meta.url).resolve(driver);
  child.on("error", () => {});
  child.send({ open: { driver: resolved, address, busyTimeoutMs } }, () => {});
  return child;
}

async function ask(child: ChildProcess, message: object): Promise<Answer> {
  child.ref();
  child.channel?.ref();
  const ended = new AbortController();
  const { once } = process.getBuiltinModule("node:events");
  try {
    const answer = once(child, "message", { signal: ended.signal }).then(
      ([value]: Answer[]) => value,
    );
    const gone = once(child, "exit", { signal: ended.signal });
    answer.catch(() => {});
    gone.catch(() => {});
    if (child.exitCode === null && child.signalCode === null) child.send(message, () => {});
    else ended.abort();
    const first = await Promise.race([answer, gone.then((): undefined => undefined)]);
    if (first !== undefined) return first;
  } catch {
    // The process ended before it received a request.
  } finally {
    ended.abort();
  }
  throw new SqlError("statement_failed", "The process that reads the database has ended.");
}

function failureOf(error: { message: string }): SqlError {
  const { code, message } = sqliteErrorOf(Object.assign(new Error(error.message), error));
  return new SqlError(code, message, { cause: error });
}
