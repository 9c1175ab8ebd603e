import { openSqliteOperationStores } from "@ccl/operations/sqlite";

import { openModels } from "./open-models.ts";
import { branch, openStory } from "./open-story.ts";
import { preamble, storyProfile } from "./story-profile.ts";

/** What a player says in the run that is interrupted. */
const durableTurn = {
  trigger: "generate" as const,
  userMessageId: "turn-1",
  userMessage: "I draw my sword and attack the wolf!",
};

/** Begins a run in a process of its own, and tells of its events; somebody will kill it. */
export async function beginDurably(path: string): Promise<void> {
  const stores = await openSqliteOperationStores({ path, preamble });
  const { engine } = openStory(await openModels(), stores);
  const run = await engine.start({ ...branch, ...durableTurn, profile: storyProfile });
  for await (const { runId, type } of run.events) process.send?.({ runId, type });
  await stores.close();
  process.disconnect();
}
