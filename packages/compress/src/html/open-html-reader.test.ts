import { describe, expect, it } from "vitest";

import { compress } from "../compress.ts";
import { openHtmlReader } from "./open-html-reader.ts";

const rows = Array.from(
  { length: 60 },
  (_, at) => `<tr><td>Plan ${at}</td><td><a href="/buy/${at}">EUR ${at * 7}</a></td></tr>`,
).join("");
const page = `<!doctype html><html><head><title>Shop</title><style>td { color: red }</style></head><body>
<h1>Plans</h1><p>See <a href="https://shop.example/terms">the terms</a> &amp; ask.</p>
<table><tr><th>Plan</th><th>Price</th></tr>${rows}</table>
<h2>Support</h2><ul><li>by mail</li></ul><script>track()</script></body></html>`;

describe("openHtmlReader", () => {
  it("keeps headings, tables, lists and links, and drops scripts and styles", async () => {
    const text = (await openHtmlReader())(page);
    const lines = text.split("\n").filter((line) => line !== "");
    expect(lines.slice(0, 4)).toEqual([
      "# Plans",
      "See the terms [https://shop.example/terms] & ask.",
      "Plan | Price",
      "Plan 0 | EUR 0 [/buy/0]",
    ]);
    expect(lines.slice(-2)).toEqual(["## Support", " * by mail"]);
  });

  it("lets compress show the requested row with its link", async () => {
    const readHtml = await openHtmlReader();
    const options = { budget: 150, query: "What does Plan 41 cost?" };
    const shown = compress(page, { ...options, readHtml });
    expect(shown.text).toContain("Plan 41 | EUR 287 [/buy/41]");
    expect(compress(page, options).text).not.toContain("/buy/41");
  });
});
