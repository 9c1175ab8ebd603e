import { createMemoryArtifactStore, type ArtifactStore } from "@ccl/artifact-store";
import { createScriptedModel } from "@ccl/core/testing";
import type { SqliteDatabase } from "@ccl/sql";
import { openSqlite } from "@ccl/sql/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readState } from "../ports/chat-state.ts";
import type { OperationArtifact } from "../artifact/operation-artifact.ts";
import type { OperationContext } from "../operation/operation-definition.ts";
import type { OperationStores } from "../stores/create-operation-stores.ts";
import { openSqliteOperationStores } from "../sqlite/index.ts";
import { createRunEngine } from "./create-run-engine.ts";
import type { RunEngine } from "./run-engine.ts";
import {
  done,
  profileOf,
  registryOf,
  write,
  type ScenarioOperation,
} from "../../test-support/engine-scenario.ts";

const mark = "a sentence that is nowhere else";
const long = `${mark} `.repeat(20);
const branch = { chatId: "chat", branchId: "main" };

describe("long artifact values", () => {
  let database: SqliteDatabase;
  let stores: OperationStores;
  let store: ArtifactStore;
  let seen: (readonly OperationArtifact[])[];
  let value: unknown;

  beforeEach(async () => {
    database = await openSqlite({ path: ":memory:" });
    stores = await openSqliteOperationStores({ client: database });
    store = createMemoryArtifactStore();
    seen = [];
    value = long;
  });
  afterEach(() => database.close());

  const operation: ScenarioOperation = {
    id: "keep",
    hooks: ["after_main_llm"],
    writesTag: "long",
    does: async ({ artifacts }: OperationContext) => {
      seen.push(Object.values(artifacts));
      return done(write("long", value));
    },
  };
  const engineOf = (artifacts: ArtifactStore | undefined = store): RunEngine =>
    createRunEngine({
      ...stores,
      registry: registryOf([operation]),
      mainModel: createScriptedModel(["One.", "Two.", "Three."]),
      artifacts: artifacts && { store: artifacts, aboveChars: 100 },
      recover: false,
    });
  const turn = async (engine: RunEngine, message: string): Promise<string> => {
    const profile = profileOf([operation]);
    const run = await engine.start({ ...branch, message, userMessageId: message, profile });
    expect((await run.result).artifacts[0]?.value).toEqual(value);
    return run.runId;
  };
  const rowsWith = (text: string): string[] => {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return tables
      .flatMap(({ name }) =>
        database
          .prepare(`SELECT * FROM "${String(name)}"`)
          .all()
          .map((row) => JSON.stringify(row)),
      )
      .filter((row) => row.includes(text));
  };
  const kept = async (): Promise<number> => (await store.listHandles()).handles.length;

  it("stand in the artifact store, and come back to later turns, results and events", async () => {
    const runId = await turn(engineOf(), "u1");
    expect(rowsWith(mark)).toEqual([]);
    const again = engineOf();
    await turn(again, "u2");
    expect(seen[1]?.[0]?.value).toBe(long);
    expect((await (await again.resume(runId)).result).artifacts[0]?.value).toBe(long);
    const events = [];
    for await (const event of again.events(runId)) events.push(event);
    expect(events.at(-1)).toMatchObject({ result: { artifacts: [{ value: long }] } });
    // An equal value is no new version, wherever it is kept.
    expect(seen).toHaveLength(2);
    const key = { ...branch, profileId: "profile", operationProfileSessionId: "session" };
    expect(await readState(stores.chat, key)).toMatchObject([{ tag: "long", version: 1 }]);
  });

  it("stand in the rows without an artifact store", async () => {
    const engine = createRunEngine({
      ...stores,
      registry: registryOf([operation]),
      mainModel: createScriptedModel(["One."]),
      recover: false,
    });
    await turn(engine, "u1");
    expect(rowsWith(mark).length).toBeGreaterThan(0);
  });

  it("stay while a run or a state shows them, and go with the last that does", async () => {
    const engine = engineOf();
    await turn(engine, "u1");
    expect(await kept()).toBe(1);
    await engine.pruneRuns({ endedBeforeMs: Infinity });
    expect(await kept()).toBe(1);
    await turn(engine, "u2");
    expect(seen[1]?.[0]?.value).toBe(long);
    await stores.chat.deleteTurns({ ...branch, from: "u2" });
    await engine.pruneRuns();
    expect((await store.verify()).checked).toBe(1);
    await stores.chat.deleteTurns({ ...branch, from: "u1" });
    await engine.pruneRuns();
    expect(await kept()).toBe(0);
    expect((await store.verify()).checked).toBe(0);
    expect(rowsWith("long")).toEqual([]);
  });

  it("are never taken for another's, whatever they look like", async () => {
    const { artifactId } = await store.store("secret", { source: "other" });
    value = { cclArtifact: artifactId, sizeBytes: 6 };
    const engine = engineOf();
    const runId = await turn(engine, "u1");
    await turn(engine, "u2");
    expect(seen[1]?.[0]?.value).toEqual(value);
    expect((await (await engineOf().resume(runId)).result).artifacts[0]?.value).toEqual(value);
    await engine.pruneRuns({ endedBeforeMs: Infinity });
    expect(await store.retrieve(artifactId)).toBeDefined();
  });

  it("of a run under way outlive every look", async () => {
    const engine = engineOf();
    const sweeping = engine.pruneRuns.bind(engine);
    const { append } = stores.runs;
    const looks: typeof append = async (appended, call) => {
      if (appended.commit !== undefined) await sweeping({ endedBeforeMs: Infinity });
      return append(appended, call);
    };
    stores = { ...stores, runs: { ...stores.runs, append: looks } };
    const slow = engineOf();
    await turn(slow, "u1");
    await turn(slow, "u2");
    expect(seen[1]?.[0]?.value).toBe(long);
  });

  it("fail a start with what is missing where the artifact store has lost them", async () => {
    await turn(engineOf(), "u1");
    store = createMemoryArtifactStore();
    const run = await engineOf().start({
      ...branch,
      message: "u2",
      profile: profileOf([operation]),
    });
    const { status, failedDetails } = await run.result;
    expect(status).toBe("failed");
    expect(failedDetails?.errorMessage).toContain("no longer has");
  });
});
