import { fork } from "node:child_process";
import { once } from "node:events";

import type { WorkerMessage, WorkerOrders, WorkerRequest } from "./story-worker.ts";

/** A worker in a process of its own. */
export interface WorkerProcess {
  /** Starts a run there, kills the process as it tells of the event with that number, and gives the run's id. */
  startUntilKilled(chatId: string, killAt: number): Promise<string>;
  /** Starts a run there and gives its id as soon as it is known. */
  start(chatId: string): Promise<string>;
  /** Has a run carried on there. */
  resume(runId: string): void;
  close(): Promise<void>;
}

/** Starts a worker; resolves once it is open. */
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
  /** The next message; undefined where the process has ended. */
  const next = async (): Promise<WorkerMessage | undefined> => {
    while (messages.length === 0 && child.exitCode === null && child.signalCode === null) {
      await Promise.race([gone, new Promise<void>((resolve) => (wake = resolve))]);
    }
    return messages.shift();
  };
  const nextEvent = async (): Promise<string> => {
    const message = await next();
    if (message === undefined || "isReady" in message) throw new Error("A worker ended before its run did.");
    return message.runId;
  };
  if ((await next()) === undefined) throw new Error("A worker ended before it was open.");
  return {
    async startUntilKilled(chatId, killAt) {
      messages.length = 0;
      ask({ start: { chatId } });
      let runId = "";
      for (let event = 1; event <= killAt; event += 1) runId = await nextEvent();
      child.kill("SIGKILL");
      await gone;
      return runId;
    },
    async start(chatId) {
      messages.length = 0;
      ask({ start: { chatId } });
      return nextEvent();
    },
    resume: (runId) => ask({ resume: { runId } }),
    async close() {
      if (child.connected) ask({ close: true });
      await gone;
    },
  };
}
