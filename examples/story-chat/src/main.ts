import { beginDurably } from "./durable-worker.ts";
import { openModels } from "./open-models.ts";
import { writeReport } from "./report/write-report.ts";
import { tellDurableStory } from "./tell-durable-story.ts";
import { tellStory } from "./tell-story.ts";

const [mode, path] = process.argv.slice(2);
if (mode === "--durable-worker" && path !== undefined) await beginDurably(path);
else {
  const told = mode === "--durable" ? [] : await tellStory(await openModels());
  console.log(`\n${told.length + 1} Killed in the middle, resumed from SQLite`);
  const resumed = await tellDurableStory(await openModels());
  // Told in a chat of its own: its state of the world is not the story's.
  console.log(`\nReport: ${await writeReport(told, [resumed])}`);
}
