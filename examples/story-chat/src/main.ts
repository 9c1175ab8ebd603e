import { beginDurably } from "./durable-worker.ts";
import { killRuns } from "./kills/kill-runs.ts";
import { workOnStories } from "./kills/story-worker.ts";
import { openModels } from "./open-models.ts";
import { writeReport } from "./report/write-report.ts";
import { tellDurableStory } from "./tell-durable-story.ts";
import { tellStory } from "./tell-story.ts";

const [mode, path] = process.argv.slice(2);
if (mode === "--durable-worker" && path !== undefined) await beginDurably(path);
else if (mode === "--story-worker" && path !== undefined) await workOnStories(JSON.parse(path));
else if (mode === "--kills") {
  const kills = Number(path ?? 20);
  await killRuns(kills);
  const { CCL_POSTGRES_URL: server } = process.env;
  if (server === undefined) console.log("\nSet CCL_POSTGRES_URL to a server's address for the same on DBOS.");
  else await killRuns(kills, server);
} else {
  const told = mode === "--durable" ? [] : await tellStory(await openModels());
  console.log(`\n${told.length + 1} Killed in the middle, resumed from SQLite`);
  const resumed = await tellDurableStory(await openModels());
  // Told in a chat of its own: its state of the world is not the story's.
  console.log(`\nReport: ${await writeReport(told, [resumed])}`);
}
