import { createScriptedModel } from "@ccl/core/testing";
import { expect, it } from "vitest";

import { readState } from "../ports/chat-state.ts";
import { compute, custom } from "../define/operations.ts";
import { defineProfile } from "../define/define-profile.ts";
import { createOperationStores } from "../stores/create-operation-stores.ts";
import { createFaultInjector, type CrashPoint } from "../testing/create-fault-injector.ts";
import { createVirtualClock } from "../testing/create-virtual-clock.ts";
import { createRunEngine } from "./create-run-engine.ts";

const feed = { append: true, usage: "ui_only", contentType: "text/markdown" } as const;
const profile = defineProfile({
  id: "p",
  operations: { diary: compute(({ answer }) => answer, { after: true, artifact: feed }) },
});
const key = {
  chatId: "c",
  branchId: "main",
  profileId: "p",
  operationProfileSessionId: "1",
};

it("adds an item a turn, and leaves out that of an answer that was generated again", async () => {
  const { runs, chat } = createOperationStores();
  const mainModel = createScriptedModel(["one", "two", "another two", "three"]);
  const engine = createRunEngine({ mainModel, runs, recover: false });
  for (const trigger of ["generate", "generate", "regenerate", "generate"] as const) {
    const message = trigger === "generate" ? "Go on." : undefined;
    const run = await engine.start({ chatId: "c", message, trigger, profile });
    expect((await run.result).status).toBe("done");
  }
  const [diary] = await readState(chat, key);
  expect(diary).toMatchObject({
    value: ["one", "another two", "three"],
    contentType: "text/markdown",
    semantics: "log/feed",
    history: [],
  });
});

it("keeps the newest items within its limit", async () => {
  const { runs } = createOperationStores();
  const entries = [["x".repeat(150_000)], ["y".repeat(90_000), "z"], ["w".repeat(150_000)]];
  const operations = {
    diary: custom(
      async () => {
        const effect = { type: "artifact.upsert", tag: "diary", persisted: true, ...feed } as const;
        const value = entries.shift();
        return { status: "done", effects: [{ ...effect, semantics: "log/feed", value }] };
      },
      { after: true },
    ),
  };
  const big = defineProfile({ id: "p", operations });
  const mainModel = createScriptedModel(["1", "2", "3"]);
  const engine = createRunEngine({ mainModel, runs, recover: false });
  const held: unknown[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const run = await engine.start({ chatId: "c", message: "Go on.", profile: big });
    const { artifacts } = await run.result;
    held.push(Array.from(Object(artifacts[0]?.value), (item: string) => item[0]).join(""));
  }
  expect(held).toEqual(["x", "xyz", "yzw"]);
});

it("adds its item once, wherever the process dies", async () => {
  let deaths = 0;
  for (const when of ["before", "after"] as const) {
    for (let write = 2, died = true; died; write += 1) {
      const world = await twoTurns({ write, when });
      expect(world.diary, `${when} write ${write}`).toEqual(["answer", "answer"]);
      died = world.died;
      deaths += Number(died);
    }
  }
  expect(deaths).toBeGreaterThan(5);
});

/** Two turns; the process of the first one dies, and another one resumes it. */
async function twoTurns(crash: CrashPoint): Promise<{ diary: unknown; died: boolean }> {
  const { runs, chat } = createOperationStores();
  const clock = createVirtualClock(1_000);
  const faults = createFaultInjector(crash);
  const mainModel = createScriptedModel(["answer", "answer", "answer"]);
  const options = { mainModel, clock, recover: false };
  const dying = createRunEngine({
    ...options,
    runs: faults.wrap(runs, ["createRun", "append"]),
  });
  const first = { chatId: "c", message: "Go on.", profile, clientRequestId: "1" };
  await (
    await dying.start(first)
  ).result;
  await clock.advance(60_000);
  const engine = createRunEngine({ ...options, runs });
  for (const clientRequestId of ["1", "2"]) {
    const run = await engine.start({ ...first, clientRequestId });
    expect((await run.result).status).toBe("done");
  }
  return { diary: (await readState(chat, key))[0]?.value, died: faults.hasCrashed };
}
