import { estimatedCounter } from "@ccl/core";
import { expect, it } from "vitest";

import { losslessText, selectText } from "./shorten-text.ts";

const counter = estimatedCounter;

it("shows the words of a page and not its source, and says that it is shortened", () => {
  const style = `<style>${".c0{margin:1px;color:#43fdb7}".repeat(200)}</style>`;
  const page = `<!doctype html><html><head>${style}</head><body><p>The plan costs EUR 86.70.</p></body></html>`;
  expect(losslessText(page, counter)).toBe(page);
  const shown = selectText(page, { counter, maxTokens: 400, query: "", hint: "" });
  expect(shown).toMatch(/^\[Shortened from [\d,]+ tokens\]\nThe plan costs EUR 86\.70\.$/);
});
