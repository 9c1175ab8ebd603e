import { parseArgs } from "node:util";

import { explainModelFailure } from "@ccl/providers/environment";

import { changeRepository } from "./change-repository.ts";
import { openModel } from "./open-model.ts";
import { repairSample } from "./repair-sample.ts";

process.on("uncaughtException", (error) => {
  console.error(explainModelFailure(error) ?? error);
  process.exit(1);
});

const { values, positionals } = parseArgs({
  options: { check: { type: "string", multiple: true, default: [] } },
  allowPositionals: true,
});
const [root, goal = "Fix the failing test without changing the tests."] = positionals;
const opened = await openModel();
try {
  if (root === undefined) await repairSample(opened);
  else await changeRepository({ root, goal, checks: values.check, opened });
} finally {
  await opened.close();
}
