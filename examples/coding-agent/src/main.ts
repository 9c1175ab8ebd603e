import { parseArgs } from "node:util";

import { LanguageModelError } from "@ccl/core";

import { changeRepository } from "./change-repository.ts";
import { openModel } from "./open-model.ts";
import { repairSample } from "./repair-sample.ts";

const { values, positionals } = parseArgs({
  options: { check: { type: "string", multiple: true, default: [] } },
  allowPositionals: true,
});
const [root, goal = "Fix the failing test without changing the tests."] = positionals;
const opened = await openModel();
try {
  if (root === undefined) await repairSample(opened);
  else await changeRepository({ root, goal, checks: values.check, opened });
} catch (error) {
  if (!LanguageModelError.isInstance(error)) throw error;
  console.error(`The model gave no answer: ${error.message}`);
  console.error("CCL_MODEL names another one; CCL_MODEL=recorded replays a recording.");
  process.exitCode = 1;
} finally {
  await opened.close();
}
