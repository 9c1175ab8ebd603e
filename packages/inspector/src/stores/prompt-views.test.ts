import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { ContextPart } from "@ccl/core/tracing";
import { expect, it, onTestFinished } from "vitest";

import { recordTo } from "../record-to.ts";
import type { ReplayView } from "../views.ts";
import { promptViews } from "./prompt-views.ts";

const signal = AbortSignal.timeout(30_000);
/** Longer than what a cut keeps of a result. */
const parcelsOf = (step: number): string =>
  Array.from({ length: 60 }, (_, at) => `depot-${step}-${at * 37}/7a is late.`).join(" ");

/** A session whose last call uses a number from the second result. */
function steps(count: number): ContextPart[] {
  const parts: ContextPart[] = [
    { kind: "user", tokens: 9, text: "Find the parcels that are late." },
  ];
  for (let at = 0; at < count; at += 1) {
    const asked = at === count - 1 ? "depot-1-1110/7a" : `page-${at}-of-list`;
    const callId = `c${at}`;
    parts.push(
      { kind: "call", tool: "look", callId, tokens: 12, text: JSON.stringify({ id: asked }) },
      { kind: "result", tool: "look", callId, tokens: 400, text: parcelsOf(at) },
    );
  }
  return parts;
}

async function replay(
  parts: readonly ContextPart[],
  given: Record<string, string>,
): Promise<ReplayView> {
  const folder = await mkdtemp(join(tmpdir(), "ccl-replay-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = recordTo(folder, { texts: parts.every(({ text }) => text !== undefined) });
  for (let end = 1; end <= parts.length; end += 2)
    log.add({
      id: `${end}`,
      session: "s",
      source: "test",
      timeMs: end,
      model: "gpt-5",
      parts: parts.slice(0, end),
    });
  expect(await log.close()).toBe(true);
  const views = promptViews({
    requests: join(folder, "none"),
    records: folder,
    agents: async () => ({ logs: [], omitted: 0 }),
    live: async () => undefined,
  });
  return views.replay({ session: "s", ...given }, { signal });
}

it("replays a session with a budget, and marks a value that a later call would have missed", async () => {
  const parts = steps(40);
  const small = await replay(parts, { budget: "3000", policy: "economy" });
  expect(small.prompts).toHaveLength(41);
  for (const { tokens } of small.prompts) expect(tokens).toBeLessThanOrEqual(3_000);
  const regrets = small.prompts.flatMap(({ at, regrets: of }) => of.map((one) => ({ at, ...one })));
  const large = await replay(parts, { budget: "100000" });
  expect(large.prompts.flatMap((one) => one.regrets)).toEqual([]);
  expect(large.prompts.at(-1)?.tokens).toBeGreaterThan(10_000);
  expect(regrets).toEqual([{ at: 39, value: "depot-1-1110/7a", part: 4, tool: "look" }]);
});

it("rejects a prompt or part that does not exist", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccl-replay-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = recordTo(folder, { texts: true });
  log.add({ id: "1", session: "s", source: "test", timeMs: 1, model: "gpt-5", parts: steps(1) });
  await log.close();
  const views = promptViews({
    requests: join(folder, "none"),
    records: folder,
    agents: async () => ({ logs: [], omitted: 0 }),
    live: async () => undefined,
  });
  const textOf = (parameters: Record<string, string>) => views.text(parameters, { signal });
  expect(await textOf({ part: "0" })).toMatchObject({ text: "Find the parcels that are late." });
  await expect(textOf({ part: "3" })).rejects.toThrow("The prompt has no part 3.");
  await expect(textOf({ at: "1" })).rejects.toThrow(
    "The session has no prompt 1. It has 1 prompt, numbered from 0.",
  );
});

it("reports prompts that cannot fit, and rejects a session without texts and invalid options", async () => {
  const parts = steps(3);
  const tiny = await replay(parts, { budget: "10" });
  expect(tiny.prompts.map(({ tokens, problem }) => [tokens, problem !== undefined])).toEqual(
    Array.from({ length: 4 }, () => [undefined, true]),
  );
  const withoutTexts = parts.map(({ text: _text, ...rest }) => ({ ...rest, hash: "0" }));
  await expect(replay(withoutTexts, { budget: "8000" })).rejects.toThrow("Only sizes");
  const invalid = { code: "invalid_options" };
  await expect(replay(parts, {})).rejects.toMatchObject(invalid);
  await expect(replay(parts, { budget: "8k" })).rejects.toMatchObject(invalid);
  await expect(replay(parts, { budget: "8000", policy: "x" })).rejects.toMatchObject(invalid);
});

it("shows up to 500 points of a gateway's requests, among them the last one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "ccl-gateway-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const log = recordTo(folder);
  const parts: ContextPart[] = [{ kind: "user", tokens: 9, text: "Find the parcels." }];
  for (let at = 1; at <= 1_000; at += 1)
    log.add({ id: `${at}`, session: "s", source: "test", timeMs: at, model: "gpt-5", parts });
  expect(await log.close()).toBe(true);
  const views = promptViews({
    requests: folder,
    records: join(folder, "none"),
    agents: async () => ({ logs: [], omitted: 0 }),
    live: async () => undefined,
  });
  const { points } = await views.gateway({}, { signal });
  expect(points.length).toBeLessThanOrEqual(500);
  expect(points.map(({ timeMs }) => timeMs)).toEqual(expect.arrayContaining([1, 1_000]));
});
