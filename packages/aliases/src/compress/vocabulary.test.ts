import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TokenCounter } from "@ccl/core";

import { applyVocabulary, expandVocabulary, parseVocabulary } from "./vocabulary.ts";

/** Four characters of a word are a token, and so is every other character but a space. */
const counter: TokenCounter = {
  name: "test",
  isExact: true,
  count: (text) => (text.match(/[\p{L}\p{N}_]{1,4}|[^\s\p{L}\p{N}_]/gu) ?? []).length,
};

const text =
  "latency_ms of p50 and p99: latency_ms, max_latency_ms; backoff. latency_ms latency_ms latency_ms latency_ms";

describe("applyVocabulary", () => {
  it("replaces whole identifiers where that saves more than the legend costs", () => {
    const vocabulary = { latency_ms: "L", backoff: "BO" };
    expect(applyVocabulary(text, vocabulary, counter)).toEqual({
      text: "L of p50 and p99: L, max_latency_ms; backoff. L L L L",
      legend: "L=latency_ms",
      terms: { L: "latency_ms" },
      tokensSaved: 7,
    });
  });

  it.each([
    ["the short form already is a word of the text", `${text} L`, { latency_ms: "L" }],
    ["the term stands only inside longer names", "max_latency_ms ".repeat(9), { latency_ms: "L" }],
    ["the term is rare", "latency_ms", { latency_ms: "L" }],
    ["the short form is not a word", text, { latency_ms: "L-" }],
  ])("replaces nothing when %s", (_, unchanged, vocabulary) => {
    expect(applyVocabulary(unchanged, vocabulary, counter)).toEqual({
      text: unchanged,
      legend: "",
      terms: {},
      tokensSaved: 0,
    });
  });

  it("gives a short form to one term only", () => {
    const both = "latency_ms limit_rate ".repeat(20);
    const { terms } = applyVocabulary(both, { latency_ms: "L", limit_rate: "L" }, counter);
    expect(terms).toEqual({ L: "latency_ms" });
  });

  it("prefers the longer of two terms that begin alike", () => {
    const both = "rate limit policy, rate limit; ".repeat(20);
    const shortened = applyVocabulary(
      both,
      { "rate limit": "RL", "rate limit policy": "RLP" },
      counter,
    );
    expect(shortened.text).toBe("RLP, RL; ".repeat(20));
  });

  it("can be undone, and never costs more than it saves", () => {
    const words = fc.constantFrom(
      "latency_ms",
      "rate limit",
      "L",
      "RL",
      "a.b",
      "x",
      "__proto__",
      "ключ_доступа",
      "é",
      "e\u0301",
      "\ud800",
    );
    const glue = fc.constantFrom(" ", "", "_", ".", "-", "\n", "$");
    const texts = fc
      .array(fc.tuple(words, glue), { maxLength: 40 })
      .map((parts) => parts.flat().join(""));
    const vocabularies = fc.dictionary(
      words,
      fc.constantFrom("L", "RL", "K", "__proto__", "E", "constructor"),
    );
    fc.assert(
      fc.property(texts, vocabularies, (text, vocabulary) => {
        const shortened = applyVocabulary(text, vocabulary, counter);
        expect(expandVocabulary(shortened.text, shortened.terms)).toBe(text);
        const saved =
          counter.count(text) - counter.count(shortened.text) - counter.count(shortened.legend);
        expect(shortened.tokensSaved).toBe(saved);
        expect(saved).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("parseVocabulary", () => {
  it("reads long terms and their short forms", () => {
    expect(parseVocabulary('{ "latency_ms":"L", "rate_limit":"RL", "backoff":"BO" }')).toEqual({
      ok: true,
      value: { latency_ms: "L", rate_limit: "RL", backoff: "BO" },
    });
  });

  it.each([
    ["{", ["vocabulary_not_json"]],
    ["[]", ["vocabulary_invalid"]],
    [
      '{"a;b": "x", "abc": 1, "abcd": "a b", "ab": "abc"}',
      ["term_invalid", "short_invalid", "short_invalid", "short_invalid"],
    ],
    ['{"latency": "L", "length": "L"}', ["short_ambiguous"]],
  ])("names everything that is wrong with %s", (json, codes) => {
    const result = parseVocabulary(json);
    expect(result.ok ? [] : result.issues.map((issue) => issue.code)).toEqual(codes);
  });
});
