import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  databaseKinds,
  openTestDatabase,
  type TestDatabase,
} from "../../test-support/open-test-stores.ts";
import { append, resultOf } from "../../test-support/run-records.ts";
import type { AssistantVariant, TurnCommit } from "../ports/chat-store.ts";
import { type WrittenChat, writtenChat } from "../../test-support/written-chat.ts";
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
    userMessage: "Hello",
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
    userMessageId: "m",
    runId: lease.runId,
    hook: "before_main_llm",
    writtenAt: index,
    operations: [{ operationId: `op${index}`, effects: [], write }],
    state: { runId: lease.runId, session: "s", heads: {} },
  };
};

const answerOf = ({ runId }: RunLease, assistantVariantId: string): AssistantVariant => ({
  ...branch,
  runId,
  userMessageId: "m",
  assistantVariantId,
  text: assistantVariantId,
  partial: false,
});

const yes = (): boolean => true;
const no = (): boolean => false;

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
    const [creation, addition] = kind === "SQLite" ? [1, 1] : [3, 4];
    database.countCommits();
    const lease = await leaseOf("run");
    expect(database.countCommits()).toBe(creation);
    await one.runs.append(append(lease, { answer: answerOf(lease, "v") }));
    expect(database.countCommits()).toBe(addition);
    const [turn] = await other.chat.turns(branch);
    expect(turn?.assistantVariants).toEqual([{ variantId: "v", content: "v" }]);
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
    const [chat, second] = [writtenChat(one), writtenChat(other)];
    const say = async (to: WrittenChat, userMessageId: string): Promise<void> => {
      // The branch has one run at a time.
      while (await to.say({ ...branch, userMessageId, content: userMessageId }).then(no, yes));
    };
    const all = (to: WrittenChat): Promise<void> =>
      texts.reduce((before, id) => before.then(() => say(to, id)), Promise.resolve());
    await Promise.all([all(chat), all(second)]);
    const turns = await one.chat.turns(branch);
    expect(turns.map(({ userMessageId }) => userMessageId).sort()).toEqual(texts.sort());
  });

  it("keep every answer of two workers to one turn", async () => {
    const lease = await leaseOf("run");
    const names = numbers.map((index) => `v${index}`);
    await Promise.all(
      names.map((name, index) =>
        (index % 2 === 0 ? one : other).runs.append(
          append(lease, { answer: answerOf(lease, name) }),
        ),
      ),
    );
    const [turn] = await one.chat.turns(branch);
    expect(turn?.assistantVariants.map(({ variantId }) => variantId).sort()).toEqual(names.sort());
  });

  it("refuse an answer of a run that has ended", async () => {
    const first = await leaseOf("first");
    await one.runs.append(append(first, { result: resultOf("first") }));
    const late = await other.runs.append(append(first, { answer: answerOf(first, "late") }));
    expect(late).toEqual({ status: "stale_lease" });
    const [turn] = await one.chat.turns(branch);
    expect(turn?.assistantVariants).toEqual([]);
  });

  it("show whole states, while another worker writes", async () => {
    const lease = await leaseOf("run");
    for (const index of numbers) {
      const [{ heads, shown }] = await Promise.all([
        one.chat.keptState({ ...branch, session: "s" }),
        other.runs.append(append(lease, { commit: commitOf(lease, index) })),
      ]);
      expect([index, index + 1]).toContain(shown.length);
      expect(shown.map(({ write }) => write.value)).toEqual(numbers.slice(0, shown.length));
      expect(heads).toEqual(shown.length === 0 ? {} : { tag: "run" });
    }
  });
});
