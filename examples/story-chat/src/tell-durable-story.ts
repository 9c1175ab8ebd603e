import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openSqliteOperationStores } from "@ccl/operations/sqlite";

import { startWorker } from "./kills/worker-process.ts";
import type { StoryModels } from "./open-models.ts";
import { branch, openStory } from "./open-story.ts";
import { createProgressView, safe } from "./progress-view.ts";
import { preamble } from "./story-profile.ts";
import { collectRun, type ToldRun } from "./told-run.ts";

const killAfterDeltas = 3;

/**
 * Kills a process during the main model's answer, and continues in this process from SQLite. Finished operations do not
 * run again, and the answer is requested again.
 */
export async function tellDurableStory(models: StoryModels): Promise<ToldRun> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-story-"));
  const path = join(folder, "story.db");
  try {
    console.log("\n  In a process of its own, until it is killed");
    const worker = await startWorker({
      place: { sqlite: path },
      callsPath: join(folder, "calls.jsonl"),
    });
    let deltas = 0;
    const isTime = (type: string): boolean =>
      type === "main_llm.delta" && (deltas += 1) === killAfterDeltas;
    const runId = await worker.startUntilKilled(branch.chatId, isTime);
    console.log("  In this process, from SQLite");
    return await goOn({ models, path, runId });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function goOn(of: { models: StoryModels; path: string; runId: string }): Promise<ToldRun> {
  const stores = await openSqliteOperationStores({ path: of.path, preamble });
  try {
    const { engine, prompts } = openStory(of.models, stores);
    const left = await stores.runs.loadRun(of.runId);
    assert.equal(left?.result, undefined, "the run has not ended");
    const run = await engine.resume(of.runId);
    const view = createProgressView(process.stdout);
    const events = [];
    for await (const event of run.events) {
      events.push(event);
      view.show(event);
    }
    const result = await run.result;
    console.log(`  ${safe(result.mainLlm.text ?? "")}`);
    assert.equal(result.status, "done");
    const started = events.flatMap((event) =>
      event.type === "operation.started" ? [[event.operationId, event.attempt, event.epoch]] : [],
    );
    assert.deepEqual(
      started.sort(),
      [
        ["builtin:augmentation_notes", 1, 1],
        ["builtin:combat_rag", 1, 1],
        ["builtin:is_combat_guard", 1, 1],
        ["builtin:world_state_update", 1, 2],
      ],
      "every operation ran once, those before the main model in the process that was killed",
    );
    assert.equal(prompts.length, 1, "the main model was asked again, once");
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
      "events go on without a gap",
    );
    const told = await collectRun({
      title: "Killed in the middle, resumed from SQLite",
      stores,
      result,
      events,
      sent: prompts[0],
    });
    assert.deepEqual(
      told.sent,
      told.rebuilt,
      "the prompt is the one that the stored parts explain",
    );
    return told;
  } finally {
    await stores.close();
  }
}
