import { describe, expect, it } from "vitest";

import { codeGlossary } from "./code-glossary.ts";
import { analyzer } from "./task-words.ts";

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
