import { createScriptedModel } from "@ccl/core/testing";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { defineProfile } from "../define/define-profile.ts";
import { compute, template, waitFor } from "../define/operations.ts";
import { foldRunEvents } from "../events/fold-run-events.ts";
import type { RunEvent } from "../events/run-event.ts";
import { openSqliteOperationStores } from "../sqlite/index.ts";
import { createVirtualClock } from "../testing/create-virtual-clock.ts";
import { createRunEngine } from "./create-run-engine.ts";

const profile = defineProfile({
  id: "p",
  operations: {
    consent: waitFor("May I look at {{ vars.what }}?"),
    note: template("They said {{ art.consent }}.", { appendTo: "system", dependsOn: ["consent"] }),
  },
});
const start = { chatId: "c", message: "Hi.", profile, turn: { vars: { what: "it" } } };

describe("an operation that waits", () => {
  it("goes on with the first answer, and shows its question until then", async () => {
    const mainModel = createScriptedModel(["Fine."]);
    const limits = { concurrency: 1 };
    const engine = createRunEngine({ mainModel, limits });
    const run = await engine.start(start);
    const seen: RunEvent[] = [];
    for await (const event of run.events) {
      seen.push(event);
      if (event.type === "operation.waiting") break;
    }
    expect(foldRunEvents(seen).operations[0]).toMatchObject({
      status: "waiting",
      question: "May I look at it?",
    });
    // It holds no place meanwhile.
    expect(engine.counts()).toEqual({ running: 0, waiting: 0 });
    await expect(
      engine.answer(run.runId, { operation: "nothing", value: 1 }),
    ).rejects.toMatchObject({ code: "invalid_options" });
    expect(await engine.answer(run.runId, { operation: "consent", value: "yes" })).toBe(true);
    expect(await engine.answer(run.runId, { operation: "consent", value: "no" })).toBe(false);
    expect((await run.result).artifacts[0]?.value).toBe("yes");
    expect(mainModel.requests[0]?.messages[0]?.content).toBe("They said yes.");
    expect(await engine.answer(run.runId, { operation: "consent", value: "late" })).toBe(false);
  });

  it("goes on without an answer when its time has come, and ends with an abort", async () => {
    const clock = createVirtualClock(0);
    const timed = defineProfile({
      id: "t",
      operations: { later: waitFor("", { maxWaitMs: 60_000, otherwise: { late: true } }) },
    });
    const engine = createRunEngine({ mainModel: createScriptedModel(["Done."]), clock });
    const run = await engine.start({ chatId: "c", message: "Hi.", profile: timed });
    await clock.advance(59_000);
    expect(engine.counts()).toEqual({ running: 0, waiting: 0 });
    await clock.advance(2_000);
    expect((await run.result).artifacts[0]?.value).toEqual({ late: true });
    const endless = await engine.start(start);
    endless.abort();
    await clock.advance(5_000);
    expect((await endless.result).status).toBe("aborted");
  });

  it("survives the death of its process", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ccl-waiting-"));
    const path = join(folder, "chat.sqlite");
    const dist = new URL("../../dist/", import.meta.url);
    const script = `
      import { createRunEngine, defineProfile, waitFor } from "${dist}index.js";
      import { openSqliteOperationStores } from "${dist}sqlite/index.js";
      const profile = defineProfile({ id: "p", operations: { consent: waitFor("Sure?") } });
      const stores = await openSqliteOperationStores({ path: ${JSON.stringify(path)} });
      const mainModel = { provider: "none", modelId: "none" };
      const engine = createRunEngine({ mainModel, ...stores, limits: { leaseMs: 1000 } });
      const run = await engine.start({ chatId: "c", message: "Hi.", profile });
      for await (const { type } of run.events)
        if (type === "operation.waiting") process.stdout.write(run.runId);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [runId] = await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const stores = await openSqliteOperationStores({ path });
    const profile = defineProfile({ id: "p", operations: { consent: waitFor("Sure?") } });
    const limits = { leaseMs: 1_000, pollMs: 50 };
    const engine = createRunEngine({
      mainModel: createScriptedModel(["Good."]),
      ...stores,
      profile,
      limits,
    });
    // Before any worker has the run again.
    expect(await engine.answer(String(runId), { operation: "consent", value: 7 })).toBe(true);
    const result = await (await engine.resume(String(runId))).result;
    expect(result).toMatchObject({ status: "done", artifacts: [{ value: 7 }] });
    const waits: RunEvent[] = [];
    for await (const event of engine.events(String(runId)))
      if (event.type === "operation.waiting") waits.push(event);
    expect(waits).toHaveLength(1);
    await stores.close();
    await rm(folder, { recursive: true });
  });
});

describe("an operation that runs now and then", () => {
  const text = "word ".repeat(100);
  it.each([
    [{ turns: 3 }, [2, 5, 8]],
    [{ tokens: 600 }, [3, 6]],
  ])("is due every %o, and again when the turn is answered again", async (every, due) => {
    const seen: number[] = [];
    let turn = 0;
    const sometimes = defineProfile({
      id: "s",
      operations: { digest: compute(() => seen.push(turn), { every }) },
    });
    const answers = Array.from({ length: 10 }, () => text);
    const engine = createRunEngine({ mainModel: createScriptedModel(answers) });
    const statuses: unknown[] = [];
    for (; turn < 9; turn += 1) {
      const run = await engine.start({ chatId: "c", message: text, profile: sometimes });
      const { operationRuns } = await run.result;
      statuses.push(operationRuns[0]?.skippedReason);
    }
    expect(seen).toEqual(due);
    expect(statuses.filter((reason) => reason === "not_due")).toHaveLength(9 - due.length);
    turn = 100;
    const again = { chatId: "c", trigger: "regenerate", profile: sometimes } as const;
    await (
      await engine.start(again)
    ).result;
    expect(seen.length).toBe(due.includes(8) ? due.length + 1 : due.length);
  });
});
