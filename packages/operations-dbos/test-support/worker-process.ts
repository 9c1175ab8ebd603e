import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { SharedStores, StoreRequest } from "./shared-stores.ts";

const built = new URL("../dist/index.js", import.meta.url);

/** @throws where the package has not been built, which a process of its own needs */
export function requireBuilt(): void {
  if (!existsSync(built))
    throw new Error("packages/operations-dbos/dist is missing: run the build first.");
}

const children = new Set<ChildProcess>();

/** Ends what a failed test has left. */
export function killWorkers(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly name: string;
  /** Starts a run there; gives its id. */
  start(chatId: string): Promise<string>;
  /**
   * Kills it, as `kill -9` does, at that call of a store from now on: `before` it is carried out, or `after` it, without
   * the answer. Resolves once the process is gone.
   */
  killAt(call: number, when: "before" | "after"): Promise<void>;
  /** Kills it as soon as it has told of so many events of its run. */
  killAtEvent(events: number): Promise<void>;
  /** Lets it end in good order. */
  close(): Promise<void>;
}

/** Starts a worker, with stores in PostgreSQL where none are shared; resolves once it is open. */
export async function startWorker(options: {
  name: string;
  url: string;
  stores?: SharedStores | undefined;
}): Promise<WorkerProcess> {
  const { name, url, stores } = options;
  const program = fileURLToPath(new URL("worker.mjs", import.meta.url));
  const env = {
    ...process.env,
    CCL_BUILT: built.href,
    CCL_WORKER: name,
    CCL_POSTGRES_URL: url,
    CCL_STORES: stores === undefined ? "postgres" : "",
  };
  const child = fork(program, { env, execArgv: [], serialization: "advanced" });
  const gone = once(child, "exit");
  children.add(child);
  child.once("exit", () => children.delete(child));
  const answers = answerCalls(child, stores);
  await answers.next("open");
  return {
    name,
    async start(chatId) {
      const started = answers.next("started");
      child.send({ type: "start", chatId });
      return started;
    },
    async killAt(call, when) {
      answers.arm(call, when);
      await gone;
    },
    async killAtEvent(events) {
      answers.onEvent((count) => {
        if (count === events) child.kill("SIGKILL");
      });
      await gone;
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.send({ type: "close" });
      await gone;
    },
  };
}

interface Answers {
  /** The next message of that type. */
  next(type: string): Promise<string>;
  arm(call: number, when: "before" | "after"): void;
  /** Hears how many events of runs there were by then. */
  onEvent(listener: (count: number) => void): void;
}

function answerCalls(child: ChildProcess, stores: SharedStores | undefined): Answers {
  const expected = new Map<string, (value: string) => void>();
  let left = Infinity;
  let when: "before" | "after" = "before";
  let events = 0;
  let onEvent: (count: number) => void = () => {};
  const answer = async (request: StoreRequest): Promise<void> => {
    if (left <= 0 || stores === undefined) return;
    left -= 1;
    const isLast = left === 0;
    if (isLast && when === "before") {
      child.kill("SIGKILL");
      return;
    }
    const reply = await stores.answer(request);
    if (isLast) child.kill("SIGKILL");
    else if (child.connected) child.send(reply);
  };
  child.on("message", (message: StoreRequest | { type: string; value: string }) => {
    if (isRequest(message)) void answer(message);
    else if (message.type === "event") onEvent((events += 1));
    else expected.get(message.type)?.(message.value);
  });
  return {
    next: async (type) =>
      new Promise((resolve, reject) => {
        expected.set(type, resolve);
        child.once("exit", (code) =>
          reject(new Error(`The worker ended with ${code ?? "a signal"} before it said ${type}.`)),
        );
      }),
    arm(call, at) {
      left = call;
      when = at;
    },
    onEvent(listener) {
      events = 0;
      onEvent = listener;
    },
  };
}

function isRequest(message: { type: string }): message is StoreRequest {
  return message.type === "call";
}
