import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

import type { WorkerMessage, WorkerOrders, WorkerRequest } from "./story-worker.ts";

const patienceMs = 60_000;

/** A worker in a separate process. */
export interface WorkerProcess {
  /**
   * Starts a run there, kills the process at the first event that satisfies the condition, and returns the run's id.
   */
  startUntilKilled(chatId: string, isTime: (type: string) => boolean): Promise<string>;
  /** Starts a run there and returns its id as soon as it is known. */
  start(chatId: string): Promise<string>;
  /** Resumes a run there. */
  resume(runId: string): void;
  close(): Promise<void>;
}

/** Starts a worker. Resolves once it is open. */
export async function startWorker(orders: WorkerOrders): Promise<WorkerProcess> {
  const [, program = ""] = process.argv;
  const child = fork(program, ["--story-worker", JSON.stringify(orders)]);
  const gone = once(child, "exit");
  const ask = (request: WorkerRequest): void => void child.send(request);
  const messages: WorkerMessage[] = [];
  let wake: () => void = () => {};
  child.on("message", (message: WorkerMessage) => {
    messages.push(message);
    wake();
  });
  /** The next message. Undefined if the process has ended. */
  const next = async (): Promise<WorkerMessage | undefined> => {
    while (messages.length === 0 && child.exitCode === null && child.signalCode === null) {
      const woken = new Promise<void>((resolve) => (wake = resolve));
      const isLate = await Promise.race([gone, woken, wait(patienceMs, true, { ref: false })]);
      if (isLate === true) child.kill("SIGKILL");
    }
    return messages.shift();
  };
  const nextEvent = async (): Promise<{ runId: string; type: string }> => {
    const message = await next();
    if (message !== undefined && "runId" in message) return message;
    throw new Error("A worker ended, or said nothing for a minute, before its run had ended.");
  };
  if ((await next()) === undefined) throw new Error("A worker ended before it was open.");
  return {
    async startUntilKilled(chatId, isTime) {
      messages.length = 0;
      ask({ start: { chatId } });
      for (;;) {
        const { runId, type } = await nextEvent();
        if (isTime(type)) {
          child.kill("SIGKILL");
          await gone;
          return runId;
        }
        if (type === "run.finished")
          throw new Error("The run ended before it was time to kill its process.");
      }
    },
    async start(chatId) {
      messages.length = 0;
      ask({ start: { chatId } });
      return (await nextEvent()).runId;
    },
    resume: (runId) => ask({ resume: { runId } }),
    async close() {
      if (child.connected) ask({ close: true });
      await gone;
    },
  };
}
