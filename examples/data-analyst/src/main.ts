import { explainModelFailure } from "@ccl/providers/environment";

import { answerQuestions } from "./answer-questions.ts";
import { askQuestions } from "./ask-questions.ts";
import { openModel } from "./open-model.ts";
import { openWorld } from "./open-world.ts";

process.on("uncaughtException", (error) => {
  console.error(explainModelFailure(error) ?? error);
  process.exit(1);
});

const world = await openWorld();
const opened = await openModel();
try {
  const catalog = await world.importResources();
  await askQuestions(catalog, opened);
  await answerQuestions(catalog, world.database);
} finally {
  await opened.close();
  await world.close();
}
