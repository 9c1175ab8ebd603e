import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LanguageModel } from "@ccl/core";
import { openSqlite } from "@ccl/sql/node";
import type { SqliteDatabase } from "@ccl/sql";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { RunEvent, RunResult } from "../events/run-event.ts";
import { createRunEngine } from "../run/create-run-engine.ts";
import type { RunEngineOptions } from "../run/engine-options.ts";
import { openSqliteOperationStores } from "../sqlite/index.ts";
import type { OperationStores } from "./create-operation-stores.ts";

const answer = `MARKER ${"words and words ".repeat(150)}`;
const branch = { chatId: "chat", branchId: "main" };

describe("a turn in a SQLite file", () => {
  let folder = "";
  let path = "";
  let commits = 0;
  let database: SqliteDatabase;
  let stores: OperationStores;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "ccl-operations-"));
    path = join(folder, "operations.db");
    database = await openSqlite({ path, durability: "off" });
    const prepare = (sql: string) => {
      if (sql === "BEGIN IMMEDIATE") commits += 1;
      return database.prepare(sql);
    };
    const { driver, handle, busyTimeoutMs } = database;
    const exec = database.exec.bind(database);
    const counting = { driver, handle, busyTimeoutMs, exec, prepare, close: () => {} };
    stores = await openSqliteOperationStores({ client: counting });
    commits = 0;
  });
  afterEach(async () => {
    database.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function say(
    options: Partial<RunEngineOptions> = {},
    text: string = answer,
  ): Promise<RunResult> {
    const mainModel: LanguageModel = {
      provider: "test",
      modelId: "test",
      generate: async () => ({ text, toolCalls: [], finishReason: "stop" }),
    };
    const engine = createRunEngine({ ...stores, mainModel, recover: false, ...options });
    return (await engine.start({ ...branch, message: "Hello" })).result;
  }

  async function countInFile(): Promise<number> {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return (await readFile(path, "latin1")).split("MARKER").length - 1;
  }

  function textOf(events: readonly RunEvent[]): string {
    return events.map((event) => (event.type === "main_llm.delta" ? event.text : "")).join("");
  }

  it("takes two commits and holds its answer once, and one that is deleted leaves nothing", async () => {
    // The first turn of a process loads code in between.
    await say({}, "Hello");
    commits = 0;
    const { runId } = await say();
    expect(commits).toBe(2);
    expect(await countInFile()).toBe(1);
    const result = (await stores.runs.loadRun(runId))?.result;
    expect(result?.mainLlm).toMatchObject({ text: answer, steps: [{ text: answer }] });
    const turn = (await stores.chat.turns(branch)).at(-1);
    await stores.chat.deleteTurns({ ...branch, from: turn?.userMessageId ?? "" });
    expect(await countInFile()).toBe(0);
  });

  it("shows an edited answer, while its run says what the model said until it is pruned", async () => {
    const { runId, mainLlm } = await say();
    const [turn] = await stores.chat.turns(branch);
    const userMessageId = turn?.userMessageId ?? "";
    const variantId = mainLlm.assistantVariantId ?? "";
    const edit = { ...branch, userMessageId, variantId, type: "edit" } as const;
    for (const content of ["Edited.", "Edited again."])
      await stores.chat.editTurn({ ...edit, content });
    const [edited] = await stores.chat.turns(branch);
    expect(edited?.assistantVariants).toEqual([{ variantId, content: "Edited again." }]);
    expect((await stores.runs.loadRun(runId))?.result?.mainLlm.text).toBe(answer);
    expect(textOf(await stores.runs.readEvents(runId))).toBe(answer);
    await stores.runs.prune({ endedBeforeMs: Infinity, nowMs: Date.now() });
    await stores.chat.editTurn({ ...edit, content: "Once more." });
    expect(await countInFile()).toBe(0);
  });

  it("keeps its answer for its run when it is forked and the fork is edited", async () => {
    const { runId, mainLlm } = await say();
    const [turn] = await stores.chat.turns(branch);
    const at = { userMessageId: turn?.userMessageId ?? "" };
    await stores.chat.fork({ ...branch, ...at, newBranchId: "other" });
    const variantId = mainLlm.assistantVariantId ?? "";
    const fork = { ...at, chatId: "chat", branchId: "other", variantId };
    await stores.chat.editTurn({ ...fork, type: "edit", content: "Edited." });
    expect((await stores.runs.loadRun(runId))?.result?.mainLlm.text).toBe(answer);
    expect((await stores.chat.turns(branch))[0]?.assistantVariants[0]?.content).toBe(answer);
  });
});
