import { createMemoryArtifactStore } from "@ccl/artifact-store";
import fc from "fast-check";
import { createMemoryRecords, type Records } from "@ccl/records";
import { describe, expect, it } from "vitest";

import { createGateway } from "./create-gateway.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);
const rows = (seed: number, count: number): string =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => ({
      id: `o-${seed}-${at}`,
      state: "paid",
      country: "AT",
      total: at * seed,
    })),
  );

type Api = "chat" | "responses" | "anthropic";

/** A request with numbers, escapes and spaces that no serializer would preserve. */
function requestOf(api: Api, results: readonly string[]): string {
  const call = (at: number): string => `"c${at}"`;
  const turns = results.map((result, at) => {
    const text = JSON.stringify(result).replaceAll("/", "\\/");
    if (api === "responses")
      return `{"type":"function_call","call_id":${call(at)},"name":"get","arguments":"{}"}, {"call_id":${call(at)},"output":${text},"type":"function_call_output"}`;
    if (api === "chat")
      return `{"role":"assistant","content":null,"tool_calls":[{"id":${call(at)},"type":"function","function":{"name":"get","arguments":"{}"}}]},{"role":"tool","tool_call_id":${call(at)},"content":${text}}`;
    return `{"role":"assistant","content":[{"type":"tool_use","id":${call(at)},"name":"get","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":${call(at)},"content":[{"type":"text","text":${text},"cache_control":{"type":"ephemeral"}}]}]}`;
  });
  const key = api === "responses" ? "input" : "messages";
  const said = `{"role":"user","content":"Wh\\u0061t is o-3-7? \\"${"word ".repeat(1500)}"}`;
  return `{ "model":"claude-sonnet-5-5" , "temperature":1.0,"n":1E2, "tools":[{"name":"Bash"}], "${key}" : [${[said, ...turns].join(" ,")}\n], "unknown":{"x":""} }`;
}

const apis: Api[] = ["chat", "responses", "anthropic"];
const open = (mode: "audit" | "safe" | "full", extra = {}) =>
  createGateway({
    records: createMemoryRecords(),
    artifactStore: createMemoryArtifactStore(),
    mode,
    ...extra,
  });

describe.each(apis)("a request of %s", (api) => {
  it("keeps every byte outside the results, and begins with the prompt of the last call", async () => {
    const gateway = open("safe", { timeoutMs: 10_000 });
    const results: string[] = [];
    let before: string[] = [];
    for (const seed of [1, 2, 3, 3]) {
      results.push(rows(seed, 60));
      const body = bytes(requestOf(api, results));
      const plan = await gateway.plan(body, {});
      const sent = textOf(gateway.apply(body, plan));
      expect(plan).toMatchObject({ reason: undefined });
      let expected = requestOf(api, results);
      for (const { json } of plan.edits) {
        const at = results[plan.edits.findIndex((edit) => edit.json === json)] ?? "";
        expected = expected.replace(JSON.stringify(at).replaceAll("/", "\\/"), () => json);
      }
      expect(() => JSON.parse(sent)).not.toThrow();
      expect(plan.edits.slice(0, before.length).map(({ json }) => json)).toEqual(before);
      before = plan.edits.map(({ json }) => json);
      // Of two equal results the helper above can't tell which is which.
      expect(seed === 3 ? expected : sent).toBe(expected);
    }
    expect(before.at(-1)).toContain("The same as");
  });

  it("is returned as the same object if there is nothing to do", async () => {
    const gateway = open("full");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 60, unit: "grapheme" }), { maxLength: 4 }),
        async (results) => {
          const body = bytes(requestOf(api, results));
          const plan = await gateway.plan(body, {});
          expect(plan.reason).toBe("nothing_to_do");
          expect(gateway.apply(body, plan)).toBe(body);
        },
      ),
    );
  });
});

describe("an unchanged request", () => {
  const large = bytes(requestOf("chat", [rows(1, 200)]));
  const broken = () => Promise.reject(new Error("disk full"));
  it.each([
    ["audit", open("audit"), large],
    ["holdout", open("full", { holdout: 1 }), large],
    ["unknown_shape", open("full"), bytes('{"prompt":"x"}')],
    ["unknown_shape", open("full"), bytes('{"messages":[')],
    ["not_utf8", open("full"), Uint8Array.of(0x7b, 0xff, 0x7d)],
    [
      "store_failed",
      open("full", { records: { ...createMemoryRecords(), readLog: broken, write: broken } }),
      large,
    ],
    ["store_failed", open("full", { records: { ...createMemoryRecords(), write: broken } }), large],
    [
      "timeout",
      open("full", {
        timeoutMs: 1,
        records: {
          ...createMemoryRecords(),
          readLog: () => new Promise(() => undefined),
          write: broken,
        },
      }),
      large,
    ],
  ] as const)("has the reason %s", async (reason, gateway, body) => {
    const plan = await gateway.plan(body, {});
    expect(plan).toMatchObject({ reason, edits: [] });
    expect(gateway.apply(body, plan)).toBe(body);
  });

  it("is shown shorter in later requests once the store works again", async () => {
    let isBroken = true;
    const inner = createMemoryRecords();
    const write: Records["write"] = (...given) => (isBroken ? broken() : inner.write(...given));
    const gateway = open("safe", { records: { ...inner, write }, timeoutMs: 10_000 });
    expect(await gateway.plan(large, {})).toMatchObject({ reason: "store_failed" });
    isBroken = false;
    const next = bytes(requestOf("chat", [rows(1, 200), rows(2, 200)]));
    const { edits } = await gateway.plan(next, {});
    expect(edits.map(({ pointer }) => pointer)).toEqual([
      "/messages/2/content",
      "/messages/4/content",
    ]);
  });
});

it("omits decisions that are stored too late, repeats the others, and applies the late ones next time", async () => {
  const inner = createMemoryRecords();
  const artifactStore = createMemoryArtifactStore();
  let release = (): void => undefined;
  const gates: Promise<void>[] = [];
  const write: Records["write"] = async (...given) => {
    await gates.pop();
    return inner.write(...given);
  };
  const gateway = open("full", {
    records: { ...inner, write },
    artifactStore,
    timeoutMs: 60,
    now: () => 0,
  });
  const pointersOf = async (...seeds: number[]): Promise<string[]> => {
    const all = seeds.map((seed) => rows(seed, 900));
    const { edits } = await gateway.plan(bytes(requestOf("chat", all)), {});
    return edits.map(({ pointer }) => pointer);
  };
  expect(await pointersOf(1)).toEqual(["/messages/2/content"]);
  gates.push(new Promise((resolve) => (release = resolve)));
  expect(await pointersOf(1, 2)).toEqual(["/messages/2/content"]);
  release();
  const all = ["/messages/2/content", "/messages/4/content", "/messages/6/content"];
  expect(await pointersOf(1, 2, 5)).toEqual(all);
  expect((await artifactStore.listHandles()).handles).toHaveLength(3);
});

it.each([undefined, "hash"] as const)(
  "repeats decisions after a restart, and with hint %s knows which credentials may share them",
  async (hint) => {
    const records = createMemoryRecords();
    const artifactStore = createMemoryArtifactStore();
    const start = () =>
      createGateway({ records, artifactStore, mode: "full", timeoutMs: 10_000, hint });
    const body = bytes(requestOf("chat", [rows(1, 900)]));
    const first = await start().plan(body, { authorization: "Bearer one" });
    const again = await start().plan(body, { authorization: "Bearer one" });
    expect(first.edits).toHaveLength(1);
    expect(again.edits).toEqual(first.edits);
    const other = await start().plan(body, { authorization: "Bearer two" });
    expect(other.edits).toEqual(first.edits);
    expect(other.session === first.session).toBe(hint === undefined);
    const { handles } = await artifactStore.listHandles({});
    expect(handles).toHaveLength(hint === undefined ? 1 : 2);
    expect(JSON.stringify(handles)).not.toContain("Bearer");
  },
);
