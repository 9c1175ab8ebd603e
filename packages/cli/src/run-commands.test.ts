import { createScriptedModel } from "@ccl/core/testing";
import { createRunEngine, defineProfile, waitFor } from "@ccl/operations";
import { openSqliteOperationStores } from "@ccl/operations/sqlite";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { type CatalogProject, createCatalogProject } from "./__fixtures__/catalog-project.ts";

let project: CatalogProject;
let runId = "";
let waitingId = "";

beforeAll(async () => {
  project = await createCatalogProject();
  const stores = await openSqliteOperationStores({ path: join(project.root, "chat.db") });
  const engine = createRunEngine({ mainModel: createScriptedModel(["It is sunny."]), ...stores });
  const run = await engine.start({ chatId: "rome", message: "How is the weather?" });
  runId = run.runId;
  await run.result;
  const profile = defineProfile({ id: "p", operations: { consent: waitFor("May I?") } });
  const waiting = await engine.start({ chatId: "oslo", message: "Hm.", profile });
  waitingId = waiting.runId;
  for await (const { type } of waiting.events) if (type === "operation.waiting") break;
});

afterAll(() => project.remove());

const store = ["--store", "chat.db"];

it("lists and shows runs", async () => {
  const { document } = await project.json(["run", "list", ...store]);
  expect(document).toMatchObject({
    runs: [
      { runId: waitingId, status: "running", chatId: "oslo" },
      { runId, status: "done", message: "How is the weather?" },
    ],
  });
  const { stdout } = await project.ccl(["run", "show", runId, ...store]);
  expect(stdout).toContain("the model: completed");
  expect(stdout).toContain("answered: It is sunny.");
  const waits = await project.ccl(["run", "show", waitingId, ...store]);
  expect(waits.stdout).toContain("consent waits: May I?");
});

it("ends a run that another process has", async () => {
  const refused = await project.json(["run", "resume", waitingId, ...store]);
  expect(refused.document).toMatchObject({ error: { code: "plan_conflict" } });
  const { document } = await project.json(["run", "abort", waitingId, ...store]);
  expect(document).toMatchObject({ status: "aborted" });
});

it("lists and shows conversations, and finds words in them", async () => {
  const { document } = await project.json(["session", "list", ...store]);
  expect(document).toMatchObject({ sessions: [{ chatId: "oslo" }, { chatId: "rome", turns: 1 }] });
  const shown = await project.ccl(["session", "show", "rome", ...store, "--find", "SUNNY"]);
  expect(shown.stdout).toBe("user: How is the weather?\nassistant: It is sunny.\n");
});

it.each([
  [["run", "list"], "usage"],
  [["run", "list", "--store", "nowhere.db"], "source_failed"],
  [["run", "list", "--store", "data.sqlite"], "source_failed"],
  [["run", "show", "nothing", ...store], "usage"],
  [["session", "show", "nothing", ...store], "usage"],
])("answers %j with %s and a sentence", async (argv, code) => {
  const { document } = await project.json(argv);
  expect(document).toMatchObject({ error: { code, message: expect.stringMatching(/\w+ .*\./u) } });
});
