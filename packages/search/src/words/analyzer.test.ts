import { describe, expect, it } from "vitest";

import { createAnalyzer } from "./analyzer.ts";

const analyzer = createAnalyzer();
const wordsOf = (text: string): string[] => analyzer.queryWords(text).map(({ word }) => word);

describe("createAnalyzer", () => {
  it.each([
    ["orders", "order"],
    ["ordering", "ordered"],
    ["countries", "country"],
    ["people", "person"],
    ["children", "child"],
    ["indices", "index"],
    ["analyses", "analysis"],
    ["sold", "selling"],
    ["userIDs", "user_id"],
    ["заказы", "заказов"],
    ["выручка", "выручке"],
    ["пользователи", "пользователями"],
    ["людей", "человек"],
    ["учёт", "учет"],
    ["HTTPRequests", "http request"],
  ])("matches %j with %j", (document, query) => {
    const terms = new Set(analyzer.documentTerms(document));
    const words = analyzer.queryWords(query);
    expect(words.length).toBeGreaterThan(0);
    for (const { alternatives } of words) {
      expect(
        alternatives.some((alternative) => alternative.terms.every((term) => terms.has(term))),
      ).toBe(true);
    }
  });

  it.each([
    ["organ", "organization"],
    ["заказ", "закон"],
    ["status", "stats"],
    ["author", "authority"],
  ])("does not match %j with %j", (left, right) => {
    expect(analyzer.documentTerms(left)).not.toEqual(analyzer.documentTerms(right));
  });

  it.each([
    ["Show me all the orders of the last week", ["Show", "orders", "last", "week"]],
    ["How many singers do we have?", ["singers"]],
    ["покажи мне все заказы за неделю", ["покажи", "заказы", "неделю"]],
    ["сколько у нас клиентов", ["клиентов"]],
    ["orders, orders and orders", ["orders"]],
    ["", []],
  ])("reads %j as the words %j", (text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  it("keeps words without a subject if a query has no others", () => {
    expect(wordsOf("who is it")).toEqual(["who", "is", "it"]);
  });

  it("gives request words less weight", () => {
    const [show, orders] = analyzer.queryWords("show orders");
    expect(show?.alternatives[0]?.weight).toBeLessThan(orders?.alternatives[0]?.weight ?? 0);
  });

  it.each([
    ["customer", "cust_id"],
    ["quantity", "qty"],
    ["выручка", "revenue"],
    ["заказ", "orders"],
    ["high school", "Highschool"],
    ["dateOfBirth", "dateofbirth"],
  ])("matches a word of %j in %j", (query, document) => {
    const terms = new Set(analyzer.documentTerms(document));
    const alternatives = analyzer.queryWords(query).flatMap((word) => word.alternatives);
    expect(
      alternatives.some((alternative) => alternative.terms.every((term) => terms.has(term))),
    ).toBe(true);
  });

  it("treats the user's words and phrases as equal, in both directions", () => {
    const own = createAnalyzer({
      glossary: [
        ["gmv", "gross merchandise value"],
        ["ПВЗ", "пункт выдачи заказов"],
      ],
    });
    const alternativesOf = (text: string): string[] =>
      own.queryWords(text).flatMap((word) => word.alternatives.map(({ terms }) => terms.join(" ")));
    expect(alternativesOf("gmv by city")).toContain("gross merchandis valu");
    expect(alternativesOf("gross merchandise value")).toContain("gmv");
    expect(alternativesOf("пункты выдачи заказов")).toContain("пвз");
    expect(alternativesOf("gross value")).not.toContain("gmv");
  });

  it("reads only the beginning of a long query and of a long text", () => {
    const words = Array.from({ length: 50_000 }, (_, at) => `w${at}`).join(" ");
    expect(analyzer.queryWords(words).length).toBeLessThanOrEqual(501);
    expect(analyzer.documentTerms(words).length).toBeLessThanOrEqual(60_000);
  });

  it.each(["constructor", "__proto__", "toString", "hasOwnProperty"])(
    "treats %j as an ordinary word",
    (text) => {
      expect(analyzer.documentTerms(text).every((term) => typeof term === "string")).toBe(true);
      expect(() => analyzer.queryWords(text)).not.toThrow();
    },
  );
});
