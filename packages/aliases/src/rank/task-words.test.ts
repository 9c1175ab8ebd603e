import { countTerms } from "@ccl/search";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { codeGlossary } from "./code-glossary.ts";
import { analyzer, countWords, createTaskTerms, formatCounts } from "./task-words.ts";

/** The terms that are searched for a task. */
const termsOf = (task: string): string[] =>
  analyzer
    .queryWords(task)
    .flatMap(({ alternatives }) => alternatives.flatMap(({ terms }) => terms));

describe("analyzer", () => {
  it.each([
    ["в списке", "list"],
    ["много ошибок", "error"],
    ["секретного ключа", "secret"],
    ["в заголовках", "header"],
    ["парсер", "parser"],
  ])("searches for %j in English", (task, english) => {
    const [term = ""] = analyzer.documentTerms(english);
    expect(termsOf(task)).toContain(term);
  });

  it("keeps English words, since the glossary maps only one way", () => {
    expect(termsOf("switch")).not.toContain("toggl");
  });

  it("lists no word twice in the glossary", () => {
    const forms = codeGlossary.map(({ forms: [form = ""] }) => form);
    expect(forms.filter((form, at) => forms.indexOf(form) !== at)).toEqual([]);
  });
});

describe("countWords", () => {
  const word = fc.constantFrom("userID2", "user's", "it'S_x", "HTMLDocument", "URLs", "__init__");
  const piece = fc.oneof(word, fc.string(), fc.string({ unit: "grapheme" }), fc.constant(" "));
  const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(""));

  it("counts the terms that the analyzer finds", () => {
    fc.assert(
      fc.property(text, (source) => {
        expect(countWords(source)).toEqual(countTerms(source, analyzer));
      }),
    );
  });
});

describe("createTaskTerms", () => {
  const forms =
    "wrote writes writing ties tying sensibility sensible skies organised relational rate_limit rateLimits " +
    "RATE_LIMITED sha_256 its user's s people вход входа_limit indices applies ids";
  const word = fc.constantFrom(...forms.split(" "), "x", "\n", "'");
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(" "));

  it("counts the terms of a task as counting all words does, even from a cached line", () => {
    fc.assert(
      fc.property(text, text, (task, source) => {
        const { counts } = countWords(source);
        const wanted = termsOf(task).filter((term) => counts.has(term));
        const expected = new Map(wanted.map((term) => [term, counts.get(term)]));
        const terms = createTaskTerms(task);
        expect(terms.count(source)).toEqual(expected);
        expect(terms.recall(formatCounts({ length: 0, counts }))).toEqual(expected);
      }),
    );
  });
});
