import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import { append, resultOf } from "../../test-support/run-records.ts";
import type { TurnCommit } from "../ports/chat-store.ts";
import type { NewRun, RunLease } from "../ports/run-store.ts";
import type { OperationStores } from "./create-operation-stores.ts";

const branch = { chatId: "chat", branchId: "main" };
const count = 12;
const numbers = Array.from({ length: count }, (_, index) => index);

const newRun = (runId: string): NewRun => ({
  input: {
    formatVersion: 1,
    runId,
    ...branch,
    trigger: "generate",
    userMessageId: "m",
    assistantVariantId: "v",
    startedAt: 1,
  },
  lease: { owner: "worker", ttlMs: 10, nowMs: 1 },
});

const commitOf = (lease: RunLease, index: number): TurnCommit => {
  const value = {
    tag: "tag",
    value: index,
    persisted: true,
    usage: "internal",
    semantics: "log",
  } as const;
  const write = { value, version: index + 1 };
  return {
    ...branch,
    userMessageId: `m${index}`,
    runId: lease.runId,
    hook: "before_main_llm",
    fencingToken: lease.fencingToken,
    writtenAt: index,
    operations: [{ operationId: "op", effects: [], isRequired: true, write }],
    state: { runId: lease.runId, session: "s", heads: {} },
  };
};

describe.each(databaseKinds)("concurrent writes, on %s", (kind) => {
  let database: TestDatabase;
  let one: OperationStores;
  let other: OperationStores;
  beforeAll(async () => {
    database = await openTestDatabase(kind, "concurrent");
    one = await database.open();
    other = await database.open();
  });
  beforeEach(() => database.empty());
  afterAll(() => database.close());

  async function leaseOf(runId: string): Promise<RunLease> {
    const creation = await one.runs.createRun(newRun(runId));
    if (creation.status !== "created") throw new Error(`The run was ${creation.status}.`);
    return creation.lease;
  }

  it("take one commit each", async () => {
    // On PostgreSQL both looks at what is there count too.
    const commits = kind === "SQLite" ? 1 : 3;
    database.countCommits();
    const { runId, fencingToken } = await leaseOf("run");
    expect(database.countCommits()).toBe(commits);
    await one.chat.appendUserMessage({ ...branch, userMessageId: "m", content: "Hello" });
    expect(database.countCommits()).toBe(commits);
    const ids = { ...branch, runId, fencingToken, userMessageId: "m", assistantVariantId: "v" };
    await one.chat.saveAssistantVariant({ ...ids, text: "Answer", partial: false });
    expect(database.countCommits()).toBe(commits);
    const [turn] = await other.chat.turns(branch);
    expect(turn?.assistantVariants).toEqual([{ variantId: "v", content: "Answer" }]);
  });

  it("give a branch one run, whoever comes first", async () => {
    const creations = await Promise.all(
      numbers.map((index) =>
        (index % 2 === 0 ? one : other).runs.createRun(newRun(`run-${index}`)),
      ),
    );
    const created = creations.flatMap((creation) =>
      creation.status === "created" ? [creation.lease.runId] : [],
    );
    expect(created).toHaveLength(1);
    const active = creations.filter(({ status }) => status !== "created");
    expect(active).toEqual(active.map(() => ({ status: "active", runId: created[0] })));
  });

  it("keep every message of two workers, each once", async () => {
    const texts = numbers.map((index) => `m${index}`);
    await Promise.all(
      texts.flatMap((userMessageId) =>
        [one, other].map(({ chat }) =>
          chat.appendUserMessage({ ...branch, userMessageId, content: userMessageId }),
        ),
      ),
    );
    const turns = await one.chat.turns(branch);
    expect(turns.map(({ userMessageId }) => userMessageId).sort()).toEqual(texts.sort());
  });

  it("keep every answer of two workers to one turn", async () => {
    const { runId, fencingToken } = await leaseOf("run");
    await one.chat.appendUserMessage({ ...branch, userMessageId: "m", content: "Hello" });
    const ids = { ...branch, runId, fencingToken, userMessageId: "m" };
    const names = numbers.map((index) => `v${index}`);
    await Promise.all(
      names.map((assistantVariantId, index) =>
        (index % 2 === 0 ? one : other).chat.saveAssistantVariant({
          ...ids,
          assistantVariantId,
          text: assistantVariantId,
          partial: false,
        }),
      ),
    );
    const [turn] = await one.chat.turns(branch);
    expect(turn?.assistantVariants.map(({ variantId }) => variantId).sort()).toEqual(names.sort());
  });

  it("refuse an answer of a run that has ended, once a later one has written to the branch", async () => {
    const first = await leaseOf("first");
    await one.chat.appendUserMessage({ ...branch, userMessageId: "m", content: "Hello" });
    await one.runs.append(append(first, { result: resultOf("first") }));
    const later = await leaseOf("later");
    const answerOf = ({ runId, fencingToken }: RunLease) => {
      const ids = { ...branch, runId, fencingToken, userMessageId: "m", assistantVariantId: runId };
      return { ...ids, text: runId, partial: false };
    };
    await one.chat.saveAssistantVariant(answerOf(later));
    await expect(other.chat.saveAssistantVariant(answerOf(first))).rejects.toMatchObject({
      code: "stale_lease",
    });
  });

  it("show whole states, while another worker writes", async () => {
    const lease = await leaseOf("run");
    for (const index of numbers) {
      await one.chat.appendUserMessage({ ...branch, userMessageId: `m${index}`, content: "" });
      const [{ heads, shown }] = await Promise.all([
        one.chat.keptState({ ...branch, session: "s" }),
        other.chat.commitTurn(commitOf(lease, index)),
      ]);
      expect([index, index + 1]).toContain(shown.length);
      expect(shown.map(({ write }) => write.value)).toEqual(numbers.slice(0, shown.length));
      expect(heads).toEqual(shown.length === 0 ? {} : { tag: "run" });
    }
  });
});
