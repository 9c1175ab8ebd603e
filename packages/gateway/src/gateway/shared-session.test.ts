import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter } from "@ccl/core";
import { arrayAt, parseJson } from "@ccl/core/json";
import { createMemoryRecords } from "@ccl/records";
import { describe, expect, it } from "vitest";

import { cachePriceOf, promptPrice } from "../price/cache-price.ts";
import { createGateway, type Gateway } from "./create-gateway.ts";
import type { RequestHeaders } from "./session-key.ts";

const logOf = (name: string, seed: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, at) => `10:00:${at % 60} ${name} ${(at * seed) % 17} took ${(at * seed * 7919) % 9973} ms`,
  ).join("\n");

/** The history of a user after some calls. */
function historyOf(user: string, calls: number, lines = 60): object[] {
  const turns = Array.from({ length: calls }, (_, at) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `${user}-${at}`, name: "Bash", input: { at } }],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `${user}-${at}`, content: logOf(user, at + 2, lines) },
      ],
    },
  ]);
  return [{ role: "user", content: `Which failed? ${"word ".repeat(900)}` }, ...turns.flat()];
}

async function send(
  gateway: Gateway,
  messages: object[],
  headers: RequestHeaders,
  tools = [{ name: "Bash" }],
) {
  const body = new TextEncoder().encode(
    JSON.stringify({ model: "claude-sonnet-4-5", tools, messages }),
  );
  const plan = await gateway.plan(body, headers);
  const sent = new TextDecoder().decode(gateway.apply(body, plan));
  return {
    plan,
    sent,
    prompt: arrayAt(parseJson(sent), "messages").map((one) => JSON.stringify(one)),
  };
}

const start = (options = {}): Gateway =>
  createGateway({
    records: createMemoryRecords(),
    artifactStore: createMemoryArtifactStore(),
    mode: "full",
    timeoutMs: 600_000,
    ...options,
  });

/** The price of 14 calls at a provider that caches the last prompt. */
async function costOf(
  headersAt: (call: number) => RequestHeaders,
  options: Parameters<typeof start>[0] = {},
): Promise<number> {
  const gateway = start(options);
  const price = cachePriceOf("claude-sonnet-4-5");
  const tokensOf = (texts: string[]): number =>
    texts.reduce((sum, text) => sum + estimatedCounter.count(text), 0);
  let before: string[] = [];
  let total = 0;
  for (let call = 1; call <= 14; call += 1) {
    const { prompt } = await send(gateway, historyOf("worker", call, 200), headersAt(call));
    const end = prompt.findIndex((text, place) => text !== before[place]);
    const cached = tokensOf(prompt.slice(0, end));
    total += promptPrice({ cached, fresh: tokensOf(prompt) - cached }, price);
    before = prompt;
  }
  return total;
}

/** A clock that makes each step of a plan slow. */
const counting = (): (() => number) => {
  let nowMs = 0;
  return () => (nowMs += 1);
};

const session = { "x-claude-code-session-id": "7f0e" };
const tokenAt = (call: number): string => `Bearer ${call < 10 ? "old" : "new"}`;

describe("a session whose token is refreshed", () => {
  it.each([
    ["with a name", session],
    ["without a name", {}],
  ])(
    "costs the same as with one token, %s, and more if decisions depend on the token",
    async (_, named: RequestHeaders) => {
      const steady = await costOf(() => ({ ...named, authorization: "Bearer old" }));
      const changing = (call: number) => ({ ...named, authorization: tokenAt(call) });
      expect(await costOf(changing)).toBeLessThanOrEqual(steady * 1.05);
      // A hash is valid for one token.
      expect(await costOf(changing, { hint: "hash" })).toBeGreaterThan(steady * 1.05);
    },
  );
});

describe.each([
  ["one name of a session", session],
  ["no name", {}],
])("two users with %s", (_, named: RequestHeaders) => {
  it("each get the same prompts as alone, and nothing from the other", async () => {
    const [shared, ...own] = [start(), start(), start()];
    for (let call = 1; call <= 6; call += 1)
      for (const [at, user] of ["alice", "bobby"].entries()) {
        const headers = { ...named, authorization: `Bearer ${user}` };
        const { sent } = await send(shared, historyOf(user, call, 200), headers);
        const alone =
          own[at] === undefined
            ? undefined
            : await send(own[at], historyOf(user, call, 200), headers);
        expect(sent).toBe(alone?.sent);
        expect(sent).not.toContain(user === "alice" ? "bobby" : "alice");
        expect(sent).toContain("rest: ");
      }
  });
});

describe("a request in full", () => {
  it("is handled as in safe if its tools cannot get omitted content, reports that, and repeats earlier decisions", async () => {
    const gateway = start();
    const first = historyOf("worker", 1, 200);
    const none = await send(start(), first, session, []);
    expect(none.plan).toMatchObject({ isWithoutWayBack: true, edits: [] });
    const shown = await send(gateway, first, session);
    expect(shown.plan.isWithoutWayBack).toBeUndefined();
    expect(shown.plan.edits).toHaveLength(1);
    const second = historyOf("worker", 2, 200);
    const { plan } = await send(gateway, second, session, [{ name: "find_orders" }]);
    expect(plan.edits.map(({ json }) => json)).toEqual(shown.plan.edits.map(({ json }) => json));
    const byServer = await send(start(), first, session, [{ name: "mcp__ccl__search_artifact" }]);
    expect(byServer.plan.edits).toHaveLength(1);
    const byService = await send(start({ hint: "hash" }), first, session, []);
    expect(byService.plan.edits).toHaveLength(1);
  });

  it("lets other requests run between the results that it reads", async () => {
    let others = 0;
    const gateway = start({ now: counting() });
    await send(gateway, historyOf("worker", 1, 1), session);
    const other = setInterval(() => (others += 1), 0);
    const { plan } = await send(gateway, historyOf("worker", 2, 200), session);
    clearInterval(other);
    expect(others).toBeGreaterThan(0);
    expect(plan.edits).toHaveLength(1);
  });

  it("waits while its session plans another request", async () => {
    const [together, apart] = [start({ now: counting() }), start({ now: counting() })];
    const [first = [], ...asked] = [1, 2, 3, 4].map((calls) => historyOf("worker", calls, 60));
    for (const gateway of [together, apart]) await send(gateway, first, session);
    const sent = await Promise.all(asked.map((one) => send(together, one, session)));
    for (const [at, one] of asked.entries())
      expect((await send(apart, one, session)).sent === sent[at]?.sent).toBe(true);
  });

  it("stores nothing for a session that it never changed", async () => {
    const records = createMemoryRecords();
    await send(start({ records }), historyOf("worker", 2, 1), session);
    expect((await records.listLogs()).logs).toEqual([]);
  });

  it("cuts old results at no cost after the provider's cache has expired", async () => {
    const cutsAfter = async (minutes: number): Promise<number> => {
      let nowMs = 0;
      const gateway = start({ now: () => nowMs });
      for (let call = 1; call <= 15; call += 1)
        await send(gateway, historyOf("worker", call, 12), session);
      nowMs += minutes * 60_000;
      const { plan } = await send(gateway, historyOf("worker", 16, 12), session);
      return [...(plan.prompt?.shown.values() ?? [])].filter(({ form }) => form === "cut").length;
    };
    expect(await cutsAfter(4)).toBe(0);
    expect(await cutsAfter(7)).toBeGreaterThan(0);
  });
});
