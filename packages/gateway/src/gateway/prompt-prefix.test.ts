import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { arrayAt, stringAt } from "@ccl/core/json";
import fc from "fast-check";
import { createMemoryRecords } from "@ccl/records";
import { expect, it } from "vitest";

import { createGateway } from "./create-gateway.ts";
import { byLength } from "../../../../scripts/lengths/test-length.mjs";

const sessions = byLength({ test: 10, faults: 2_000 });

const step = fc.record({
  does: fc.constantFrom(
    "continue",
    "continue",
    "continue",
    "retry",
    "fork",
    "compact",
    "sub-agent",
  ),
  lines: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 20 }) },
    { weight: 2, arbitrary: fc.integer({ min: 40, max: 160 }) },
  ),
  seed: fc.integer({ min: 1, max: 9 }),
});

/** A call and its result. */
function turn(id: string, lines: number, seed: number): object[] {
  const rows = Array.from(
    { length: lines },
    (_, at) => `10:00:${at % 60} worker ${(at * seed) % 17} took ${(at * seed * 7919) % 9973} ms`,
  );
  const call = { id, type: "function", function: { name: "logs", arguments: "{}" } };
  return [
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: rows.join("\n") },
  ];
}

let cuts = 0;

it(`sends each prompt as a prefix of the next, except for cuts, in ${sessions} sessions`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const gateway = createGateway({
        records: createMemoryRecords(),
        artifactStore: createMemoryArtifactStore(),
        mode: "full",
        timeoutMs: 60_000,
      });
      const sent: { messages: readonly object[]; prompt: unknown[] }[] = [];
      let messages: object[] = [{ role: "user", content: `Which failed? ${"word ".repeat(900)}` }];
      for (const [at, { does, lines, seed }] of steps.entries()) {
        if (does === "fork") messages = messages.slice(0, 1 + 2 * Math.floor(messages.length / 4));
        if (does === "compact") messages = [{ role: "user", content: `Until ${at}: all well` }];
        const own =
          does === "sub-agent" ? [{ role: "user", content: `Look into ${at}` }] : messages;
        const asked = does === "retry" ? own : [...own, ...turn(`c${at}`, lines, seed)];
        if (does !== "sub-agent") messages = asked;
        const body = new TextEncoder().encode(
          JSON.stringify({ model: "gpt-5", tools: [{ name: "shell" }], messages: asked }),
        );
        const plan = await gateway.plan(body, { "x-session-id": "one" });
        const out: unknown = JSON.parse(new TextDecoder().decode(gateway.apply(body, plan)));
        const prompt = arrayAt(out, "messages");
        expect(prompt.map(withoutText)).toEqual(asked.map(withoutText));
        const before = sent
          .filter((one) => one.messages.every((message, place) => message === asked[place]))
          .reduce<(typeof sent)[number] | undefined>(
            (best, one) => ((best?.prompt.length ?? 0) > one.prompt.length ? best : one),
            undefined,
          );
        const changed = (before?.prompt ?? []).findIndex(
          (message, place) => JSON.stringify(message) !== JSON.stringify(prompt[place]),
        );
        if (changed >= 0) cuts += 1;
        const isCut =
          plan.prompt?.call?.cutFrom !== undefined &&
          asked.length > (before?.messages.length ?? 0) &&
          JSON.stringify(prompt[changed]).includes("rest: ");
        expect(changed < 0 || isCut).toBe(true);
        sent.push({ messages: asked, prompt });
      }
    }),
    { numRuns: sessions },
  );
  // Ten sessions may contain no cut.
  expect(cuts).toBeGreaterThan(sessions > 100 ? 0 : -1);
}, 900_000);

/** The parts of a message that must not change: everything except the text of a result. */
function withoutText(message: unknown): unknown {
  return stringAt(message, "role") === "tool" ? { ...Object(message), content: "" } : message;
}
