import { explainModelFailure } from "@ccl/providers/environment";

import { killRuns } from "./kills/kill-runs.ts";
import { workOnStories } from "./kills/story-worker.ts";
import { openModels } from "./open-models.ts";
import { tellDurableStory } from "./tell-durable-story.ts";
import { tellStory } from "./tell-story.ts";

process.on("uncaughtException", (error) => {
  console.error(explainModelFailure(error) ?? error);
  process.exit(1);
});

const [mode, value] = process.argv.slice(2);
if (mode === "--story-worker" && value !== undefined) await workOnStories(JSON.parse(value));
else if (mode === "--kills") {
  const kills = Number(value ?? 20);
  const { CCL_POSTGRES_URL: server } = process.env;
  if (!Number.isInteger(kills) || kills < 1)
    throw new Error(`--kills ${value} is no number of kills.`);
  // It compares runs, so it needs the recorded answers, also in the processes that it starts.
  process.env["CCL_MODEL"] = "recorded";
  await killRuns(kills);
  if (server === undefined)
    console.log("\nSet CCL_POSTGRES_URL to a server's address for the same on DBOS.");
  else await killRuns(kills, server);
} else {
  const told = mode === "--durable" ? [] : await tellStory(await openModels());
  console.log(`\n${told.length + 1} Killed in the middle, resumed from SQLite`);
  await tellDurableStory(await openModels());
}
