import { identifiersOf } from "@ccl/compress";
import { estimatedCounter, sha256Hex } from "@ccl/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { defaultSizes } from "../audit/audit-transcript.ts";
import { cachePriceOf } from "../price/cache-price.ts";
import type { GatewayMode, PlanOptions, ShownResult } from "./plan-options.ts";
import { type ResultToShow, showNew as showBoth, showOld } from "./show-result.ts";

const optionsOf = (mode: GatewayMode, more: Partial<PlanOptions> = {}): PlanOptions => ({
  mode,
  counter: estimatedCounter,
  price: cachePriceOf(undefined),
  ...defaultSizes,
  ...more,
});
const resultOf = (text: string): ResultToShow => ({
  text,
  whole: text,
  tokens: estimatedCounter.count(text) + 4,
  query: "Which worker failed?",
});
const tokensOf = (shown: { text: string } | undefined): number =>
  estimatedCounter.count(shown?.text ?? "");

const showNew = (...given: Parameters<typeof showBoth>): ShownResult | undefined =>
  showBoth(...given).shown;

const line = fc.tuple(fc.nat(60), fc.nat(500), fc.nat(10_000));
const log = fc
  .array(line, { minLength: 1, maxLength: 150, size: "max" })
  .map((lines) =>
    lines.map(([at, worker, ms]) => `10:00:${at} INFO runWorker${worker} took ${ms} ms`).join("\n"),
  );
const rows = fc
  .array(fc.record({ id: fc.nat(), state: fc.constantFrom("paid", "open") }), { minLength: 1 })
  .map((all) => JSON.stringify(all, null, 2));
const text = fc.oneof(log, rows);

const longLog = Array.from(
  { length: 400 },
  (_, at) => `10:00:${at % 60} INFO runWorker${at} took ${(at * 7919) % 9973} ms`,
).join("\n");

describe("a new result", () => {
  it("keeps all digits in safe, including numbers that JavaScript cannot represent", () => {
    const digits = ["1.0", "1e2", "-0", "90071992547409931", "0.10"];
    const given = Array.from(
      { length: 40 },
      (_, at) => `{"id": ${at}, "state": "paid", ${digits.map((one, of) => `"n${of}": ${one}`)}}`,
    );
    const shown = showNew(resultOf(`[${given}]`), [], optionsOf("safe"));
    expect(shown?.form).toBe("lossless");
    for (const one of digits) expect(shown?.text.split(one).length).toBeGreaterThan(1);
    expect(shown?.text).not.toContain("90071992547409930");
  });

  it.each(["safe", "full"] as const)("is shown shorter or unchanged in %s", (mode) => {
    let selections = 0;
    fc.assert(
      fc.property(text, fc.integer({ min: 100, max: 3_000 }), (given, selectAbove) => {
        const result = resultOf(given);
        const shown = showNew(result, [], optionsOf(mode, { selectAbove }));
        if (shown === undefined) return;
        expect(tokensOf(shown)).toBeLessThan(result.tokens * 0.95);
        expect(["lossless", "selection"]).toContain(shown.form);
        if (shown.form !== "selection") return;
        selections += 1;
        expect(mode).toBe("full");
        expect(shown.text).toContain(`[of ${result.tokens} tokens; rest: ccl artifacts search `);
        expect(shown.text).toContain(` ${sha256Hex(given).slice(0, 12)} `);
        // The hint about the rest is not part of the budget.
        expect(tokensOf(shown)).toBeLessThanOrEqual(Math.min(result.tokens, selectAbove) + 32);
      }),
    );
    expect(selections > 0).toBe(mode === "full");
  });

  it("is shown in part if it is large, and whole if it is small or needed to reach the cacheable length", () => {
    const result = resultOf(longLog);
    const tokensIn = (more: Partial<PlanOptions>): number =>
      tokensOf(showNew(result, [], optionsOf("full", { selectAbove: 100_000, ...more })));
    expect(tokensIn({})).toBeLessThan(result.tokens * 0.5);
    expect(tokensIn({})).toBeGreaterThan(result.tokens * 0.4);
    expect(tokensIn({ selectAbove: 500 })).toBeLessThan(550);
    expect(tokensIn({ selectAbove: 500, minTokens: 3_000 })).toBeGreaterThan(2_700);
    expect(tokensIn({ minTokens: 3_000 })).toBeLessThan(3_050);
    const small = resultOf(longLog.slice(0, 330));
    expect(small.tokens).toBeLessThanOrEqual(150);
    expect(showNew(small, [], optionsOf("full"))).toEqual(showNew(small, [], optionsOf("safe")));
    const kept = optionsOf("full", { minTokens: result.tokens });
    expect(showNew(result, [], kept)).toEqual(showNew(result, [], optionsOf("safe")));
  });

  it("is never longer in full than in safe, and full reports the size under safe", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 100, max: 3_000 }), (given, selectAbove) => {
        const result = resultOf(given);
        const { shown, safe } = showBoth(result, [], optionsOf("full", { selectAbove }));
        expect(safe).toEqual(showNew(result, [], optionsOf("safe")));
        const size = (one: ShownResult | undefined): number =>
          one === undefined ? result.tokens : tokensOf(one);
        expect(size(shown)).toBeLessThanOrEqual(size(safe));
      }),
    );
  });

  it("refers to an earlier equal result if that is shorter", () => {
    const known = [{ content: longLog, name: "the result of c1" }];
    expect(showNew(resultOf(longLog), known, optionsOf("safe"))).toEqual({
      form: "repeat",
      text: "[The same as the result of c1.]",
    });
    const short = longLog.slice(0, 120);
    const knownShort = [{ content: short, name: "the result of c1" }];
    expect(showNew(resultOf(short), knownShort, optionsOf("safe"))).toBeUndefined();
  });

  it("stays unchanged in an audit, and if the client already names the full output", () => {
    const excerpt = resultOf(`<persisted-output>\n${longLog}`);
    expect(showNew(resultOf(longLog), [], optionsOf("audit"))).toBeUndefined();
    expect(showNew(excerpt, [], optionsOf("full"))).toBeUndefined();
    expect(showOld(excerpt, () => false, optionsOf("full"))).toBeUndefined();
  });
});

describe("an old result", () => {
  it("is shown in a share of its tokens, with names that occur nowhere else", () => {
    let cuts = 0;
    fc.assert(
      fc.property(text, fc.nat(500), (given, shownElsewhere) => {
        const result = resultOf(given);
        const isShown = (name: string): boolean => name.includes(String(shownElsewhere));
        const cut = showOld(result, isShown, optionsOf("full"));
        if (cut === undefined) return;
        cuts += 1;
        expect(cut.form).toBe("cut");
        expect(tokensOf(cut)).toBeLessThan(result.tokens * 0.8);
        expect(tokensOf(cut)).toBeLessThanOrEqual(
          Math.max(30, result.tokens * 0.05) + result.tokens * 0.06 + 40,
        );
        expect(cut.text).toContain(`[of ${result.tokens} tokens; rest: `);
        const [kept = "", list = ""] = cut.text.split("\nAlso in it:");
        const names = (list.split("\n")[0] ?? "").split(" ").slice(1);
        const own = new Set(identifiersOf(given));
        for (const name of names) {
          expect(own).toContain(name);
          expect(isShown(name)).toBe(false);
          expect(kept).not.toContain(name);
        }
      }),
    );
    expect(cuts).toBeGreaterThan(0);
  });

  it("keeps the first names that fit", () => {
    const result = resultOf(longLog);
    const cut = showOld(result, () => false, optionsOf("full"));
    const [kept = "", list = ""] = (cut?.text ?? "").split("\nAlso in it:");
    const names = (list.split("\n")[0] ?? "").split(" ").slice(1);
    const missing = identifiersOf(longLog).filter((name) => !kept.includes(name));
    expect(names).toEqual(missing.slice(0, names.length));
    const taken = estimatedCounter.count(list.split("\n")[0] ?? "");
    expect(taken).toBeGreaterThan(250);
    expect(taken).toBeLessThanOrEqual(300);
  });

  it("uses the given hint for the rest", () => {
    const id = sha256Hex(longLog);
    const hashed = showOld(resultOf(longLog), () => true, optionsOf("full", { hint: "hash" }));
    expect(hashed?.text).toContain(`rest: hash=${id.slice(0, 24)}]`);
    const hint = (artifactId: string): string => `read ${artifactId}`;
    const own = showNew(resultOf(longLog), [], optionsOf("full", { hint }));
    expect(own?.text).toContain(`rest: read ${id}]`);
  });
});
