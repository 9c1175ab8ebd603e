import { InspectorError, type InspectorSource } from "../index.ts";
import type { ComparedPair } from "../views.ts";

const hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202egnp.exe";
const line = "A".repeat(10 * 2 ** 20);
const cost = { usd: 0.2, directUsd: 0.4 };
const session = { id: "s", source: "gateway", title: hostile, prompts: 20, tokens: 9, ...cost, failed: 1, durationMs: 2_000 };
const prompt = { at: 0, budget: 1_000, cached: 4, fresh: 5, directTokens: 12, usd: 0.1, directUsd: 0.2, isFailed: false };
const prompts = Array.from({ length: 20 }, (_, at) => ({
  ...prompt,
  at,
  isFailed: at === 4,
  status: at === 4 ? 529 : 200,
}));
const rows = Array.from({ length: 40 }, (_, at) => ({
  at,
  origin: at === 0 ? ("user" as const) : ("result" as const),
  tool: hostile,
  tokens: at + 1,
  directTokens: at + 1,
  isCached: at < 30,
  form: at === 39 ? "cut" : undefined,
  handle: at === 39 ? "ccl://artifact/39" : undefined,
  preview: hostile,
  length: line.length,
}));
/** A source with hostile content in which two views fail. */
export const hostileSource: InspectorSource = {
  overview: async () => ({
    project: hostile,
    root: "/p",
    missing: [{ page: "runs", why: hostile }],
  }),
  sessions: async () => ({ sessions: [session], left: 0 }),
  session: async () => ({ session, prompts }),
  prompt: async ({ at = "0" }) => {
    const parts = at === "0" ? rows : rows.slice(0, -1);
    return { session, prompt: { ...prompt, at: Number(at) }, parts };
  },
  compared: async () => {
    const pairs = rows.map(({ at: first }): ComparedPair => {
      if (first === rows.length - 1) return { change: "removed", first };
      const isChanged = first === 3;
      const diff = isChanged ? `-${hostile}\n+${line.slice(0, 90_000)}` : undefined;
      return { change: isChanged ? "changed" : "same", first, second: first, diff };
    });
    const broken = { second: 3, byte: 7, isKnown: true, keptTokens: 60, lostTokens: 700, usd: 0.01 };
    return { pairs, break: broken };
  },
  replay: async () => ({
    budget: 8_000,
    policy: "balanced",
    prompts: [
      { at: 0, sentTokens: 9, usd: 0.1, tokens: 4, cached: 0, replayedUsd: 0.03, regrets: [] },
      {
        at: 1,
        sentTokens: 9,
        usd: 0.1,
        tokens: 5,
        cached: 4,
        replayedUsd: 0.005,
        regrets: [{ value: "depot-7", part: 3, tool: hostile }],
      },
      { at: 2, sentTokens: 9, usd: 0.1, problem: hostile, regrets: [] },
    ],
  }),
  text: async ({ offset = "0" }) => {
    const from = Number(offset);
    return { text: line.slice(from, from + 40_000), offset: from, total: line.length };
  },
  gateway: async () => {
    throw new Error("the secret of a store");
  },
  plans: async () => {
    throw new InspectorError("invalid_options", "A message for people.");
  },
};

const times = { startedAtMs: 1_000, finishedAtMs: 1_200 };
const drift = { kind: "changed", severity: "breaking", path: "columns.total.type", from: "int" };
const [recall, lore, judge] = ["recall", "lore", "judge"].map((operationId) => ({
  operationId,
  operationName: operationId,
  hook: "before_main_llm",
}));
const ended = { startedAt: 1_000, finishedAt: 1_200 };
const skipped = { skippedReason: "dependency_failed" };
const effect = { type: hostile, text: `The hero limps. ${hostile}` };

/** A source with content for each page. */
export const exampleSource: InspectorSource = {
  ...hostileSource,
  overview: async () => ({ project: hostile, root: "/p", missing: [] }),
  gateway: async () => ({
    requests: 2,
    changed: 1,
    usd: 0.2,
    directUsd: 0.4,
    tokens: { cached: 8, fresh: 10 },
    reported: { total: 18, cached: 8 },
    points: [1, 2].map((timeMs) => ({ timeMs, usd: 0.1, directUsd: 0.2, cachedShare: 0.5 })),
    kinds: [{ origin: "result", tool: hostile, tokens: 10, directTokens: 20 }],
    passed: [["no_gain", 1]],
    statuses: [["200", 2]],
    sessions: [session],
  }),
  pack: async () => {
    const parts = { content: 1 };
    const level = { level: "full", tokens: 20, reason: "task" };
    const shown = { rank: 1, score: 2, parts, matched: ["refund"], ...level };
    const left = { rank: 2, score: 1, parts, reason: "budget" };
    const files = [
      { alias: hostile, path: "src/refund.ts", ...shown },
      { alias: "@stock", path: "src/stock.ts", ...left },
    ];
    const text = "export function refund() {}";
    return { task: "", budget: 8_000, tokens: 20, unmatched: [], files, text };
  },
  runs: async () => ({
    hasMore: false,
    runs: [{ id: "run-1", chat: "chat-1", status: "done", ...times }],
  }),
  run: async () => ({
    input: {
      runId: "run-1",
      chatId: "chat-1",
      trigger: "generate",
      startedAt: 1_000,
      profile: { operations: [{ operationId: "judge", config: { dependsOn: ["lore"] } }] },
    },
    result: { status: "done", finishedAt: 1_200, mainLlm: { text: hostile } },
    steps: [{ ...recall, kind: "operation", effects: [effect] }],
    events: [
      { ...recall, type: "operation.started", ts: 1_000, attempt: 1 },
      { ...recall, type: "operation.finished", ts: 1_200, status: "done", ...ended },
      { ...lore, type: "operation.finished", ts: 1_200, status: "error" },
      { ...judge, type: "operation.finished", ts: 1_200, status: "skipped", ...skipped },
      { type: "main_llm.started", ts: 1_200 },
      { type: "run.finished", ts: 1_200, status: "done" },
    ],
    artifacts: [
      {
        tag: "scene",
        versions: [
          { version: 2, runId: "run-1", isOfRun: true, timeMs: 1_100, diff: `-inn\n+${hostile}` },
        ],
      },
    ],
  }),
  sent: async () => ({
    messages: [
      { role: "user", from: "chat", by: ["recall"], text: hostile},
    ],
  }),
  catalog: async () => ({
    total: 1,
    hits: [{ id: "t", kind: "table", title: "orders", fields: ["id", "total"], problems: ["stale"] }],
    facets: { kind: [{ value: hostile, count: 1 }] },
    unmatched: [],
    health: [{ name: "stale", about: "Too old.", count: 1 }],
  }),
  resource: async () => ({
    id: "t",
    kind: "table",
    title: "orders",
    facts: [],
    columns: [{ name: "total", type: "number", key: hostile, about: "In cents" }],
    snippets: [{ title: hostile, code: hostile }],
  }),
  verify: async () => ({
    verified: {
      timeMs: 1_000,
      resources: 1,
      probed: 1,
      snippets: 1,
      breaking: 1,
      unverified: 0,
      warning: 0,
      notice: 0,
    },
    findings: [
      { severity: "breaking", code: "column_removed", resourceId: "t", message: hostile },
    ],
  }),
  changes: async () => ({
    against: "HEAD",
    counts: { breaking: 1, additive: 0, cosmetic: 0 },
    changes: [{ id: hostile, kind: "removed", severity: "breaking", changes: [drift] }],
  }),
  query: async () => ({
    plan: "1. scan orders",
    ranOn: "the source",
    diagram: {
      sources: [{ name: "shop", steps: [{ text: "scan orders" }] }],
      here: { name: "DuckDB", steps: [{ text: hostile }] },
    },
    columns: [{ name: hostile }],
    rows: [{ [hostile]: hostile }],
    durationMs: 1,
  }),
  applied: async () => ({ diff: `--- a/${hostile}\n+++ b/${hostile}\n@@ -1 +1 @@\n-const late = 1;\n+const late = 2;` }),
  plans: async () => ({
    transactions: [
      {
        transactionId: "t",
        timeMs: 1_000,
        status: "rolled_back",
        paths: [hostile],
        keptPaths: [],
        why: hostile,
      },
    ],
    pending: {
      summary: hostile,
      issues: [],
      changes: [
        {
          path: "src/stock.ts",
          kind: "update",
          addedLines: 1,
          removedLines: 1,
          risks: [],
          diff: "-const stok = 1;\n+const stock = 1;",
        },
      ],
    },
  }),
};
