import { appendFileSync } from "node:fs";

import type { RunExecutor } from "@ccl/operations";

import { openModels } from "../open-models.ts";
import { branch, openStory } from "../open-story.ts";
import { storyProfile } from "../story-profile.ts";
import { openPlace, type OpenedPlace, type StoryPlace } from "./story-place.ts";

/** The parameters of a worker. */
export interface WorkerOrders {
  place: StoryPlace;
  /** The file to which it writes a line of JSON before each call of an operation and of the main model. */
  callsPath: string;
}

/** A request to a worker. */
export type WorkerRequest =
  | { start: { chatId: string } }
  | { resume: { runId: string } }
  | { close: true };

/** A message of a worker: that it is ready, or an event of a run. */
export type WorkerMessage = { isReady: true } | { runId: string; type: string };

/** A call that was started. */
export interface RecordedCall {
  runId: string;
  /** As `hook/operationId`, or `main`. */
  name: string;
}

/** Executes runs in a separate process until it is asked to close, or killed. */
export async function workOnStories({ place, callsPath }: WorkerOrders): Promise<void> {
  const record = (call: RecordedCall): void =>
    appendFileSync(callsPath, `${JSON.stringify(call)}\n`);
  const opened = await openPlace(place);
  const { executor, close } = await openExecutor(opened);
  const { engine } = openStory(await openModels({ repeats: true }), opened.stores, {
    executor,
    onExecution: ({ runId, hook, definition }) =>
      record({ runId, name: `${hook}/${definition.operationId}` }),
    onPrompt: ({ runId }) => record({ runId, name: "main" }),
  });
  const userMessage = "I draw my sword and attack the wolf!";
  process.on("message", async (request: WorkerRequest) => {
    if ("close" in request) {
      await close();
      await opened.close();
      process.disconnect();
      return;
    }
    const run =
      "resume" in request
        ? await engine.resume(request.resume.runId)
        : await engine.start({
            ...branch,
            ...request.start,
            trigger: "generate",
            message: userMessage,
            profile: storyProfile,
          });
    for await (const { runId, type } of run.events) say({ runId, type });
  });
  say({ isReady: true });
}

function say(message: WorkerMessage): void {
  process.send?.(message);
}

interface OpenedExecutor {
  executor: RunExecutor | undefined;
  close(): Promise<void>;
}

/** Uses DBOS with PostgreSQL. With SQLite, runs are executed only here. */
async function openExecutor({ pool, stores: { runs } }: OpenedPlace): Promise<OpenedExecutor> {
  if (pool === undefined) return { executor: undefined, close: async () => {} };
  const [{ openDbosWorker }, { DBOS }] = await Promise.all([
    import("@ccl/operations-dbos"),
    import("@dbos-inc/dbos-sdk"),
  ]);
  return openDbosWorker({ dbos: DBOS, pool, runs });
}
