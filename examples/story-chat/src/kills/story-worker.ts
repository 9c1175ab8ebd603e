import { appendFileSync } from "node:fs";

import type { RunExecutor } from "@ccl/operations";

import { openModels } from "../open-models.ts";
import { branch, openStory } from "../open-story.ts";
import { storyProfile } from "../story-profile.ts";
import { openPlace, type OpenedPlace, type StoryPlace } from "./story-place.ts";

/** What a worker is told when it begins. */
export interface WorkerOrders {
  place: StoryPlace;
  /** Where it writes down each call of an operation and of the main model, a line of JSON before the call. */
  callsPath: string;
}

/** What a worker is asked for. */
export type WorkerRequest =
  | { start: { chatId: string } }
  | { resume: { runId: string } }
  | { close: true };

/** What a worker says: that it is there, or that something has happened in a run. */
export type WorkerMessage = { isReady: true } | { runId: string; type: string };

/** One call that was begun. */
export interface RecordedCall {
  runId: string;
  /** As `hook/operationId`, or `main`. */
  name: string;
}

/** Carries out runs in a process of its own until it is told to close, or killed. */
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

/** DBOS where there is PostgreSQL; with SQLite runs are carried out here and nowhere else. */
async function openExecutor({ pool, stores: { runs } }: OpenedPlace): Promise<OpenedExecutor> {
  if (pool === undefined) return { executor: undefined, close: async () => {} };
  const [{ openDbosWorker }, { DBOS }] = await Promise.all([
    import("@ccl/operations-dbos"),
    import("@dbos-inc/dbos-sdk"),
  ]);
  return openDbosWorker({ dbos: DBOS, pool, runs });
}
