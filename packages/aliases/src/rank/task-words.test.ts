import { countTerms } from "@ccl/search";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { codeGlossary } from "./code-glossary.ts";
import { analyzer, countWords, createTermFilter } from "./task-words.ts";

/** Terms that a word of a task is looked for by. */
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
  ])("looks for %j in English", (task, english) => {
    const [term = ""] = analyzer.documentTerms(english);
    expect(termsOf(task)).toContain(term);
  });

  it("leaves English words alone: the glossary leads one way", () => {
    expect(termsOf("switch")).not.toContain("toggl");
  });

  it("translates no word twice", () => {
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

  it("keeps all that a task asks for", () => {
    const words = countWords("class HTMLDocument { parseUser() {} } parseUser(); other();");
    const { counts, length } = createTermFilter("parse the user document")(words);
    expect(Object.fromEntries(counts)).toEqual({ pars: 2, parseus: 2, user: 2, document: 1 });
    expect(length).toBe(words.length);
  });
});
