import { answerQuestions } from "./answer-questions.ts";
import { askQuestions } from "./ask-questions.ts";
import { openModel } from "./open-model.ts";
import { openWorld } from "./open-world.ts";

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
