import { describe, expect, it } from "vitest";

import { compress } from "../compress.ts";
import { readContent } from "../read-content.ts";

const names = Array.from({ length: 40 }, (_, at) => `load${at}`);
const source = names.flatMap((name, at) => [
  `export const ${name} = async (`,
  "  source: Source,",
  "  limit: number,",
  "): Promise<Row[]> => {",
  "  const rows = await source.rows(limit);",
  at === 27 ? "  if (rows.length > quota) throw new QuotaError(rows.length);" : "  check(rows);",
  "  return rows;",
  "};",
  "",
]);
const outline = names.map((name, at) => ({
  text: `const ${name}: (source: Source, limit: number) => Promise<Row[]>`,
  firstLine: at * 9 + 1,
  lastLine: at * 9 + 8,
}));

describe("compress of source code with an outline", () => {
  it("shows signatures in place of the first lines of declarations", () => {
    const shown = compress(source.join("\n"), { budget: 1_200, outline });
    const listed = names.filter((name) => shown.text.includes(`const ${name}: (source: Source`));
    expect(listed.length).toBeGreaterThan(30);
    const plain = compress(source.join("\n"), { budget: 1_200 });
    expect(names.some((name) => plain.text.includes(`const ${name}: (source`))).toBe(false);
  });

  it("shows the requested body under its signature", () => {
    const shown = compress(source.join("\n"), {
      budget: 300,
      outline,
      query: "Where is the quota enforced?",
    });
    expect(shown.text).toContain("const load27: (source: Source");
    expect(shown.text).toContain("throw new QuotaError(rows.length)");
    const asked = compress(source.join("\n"), { budget: 300, outline, query: "load12" });
    const [, body = ""] = asked.text.split("const load12: ");
    expect(body).toContain("const rows = await source.rows(limit);");
  });

  it("leaves code that fits unchanged, and counts omissions by lines", () => {
    const text = source.slice(0, 8).join("\n");
    expect(compress(text, { budget: 1_000, outline: outline.slice(0, 1) }).text).toBe(text);
    const shown = compress(source.join("\n"), { budget: 300, outline });
    const [range = { from: 0, to: 0 }] = shown.ranges;
    const piece = readContent(source.join("\n"), { ...range, budget: 1e6 });
    expect(piece.text).toBe(source.slice(range.from - 1, range.to).join("\n"));
  });

  it("drops comments in signatures, and the members of long ones", () => {
    const members = Array.from({ length: 30 }, (_, at) => `  member${at}: number;`);
    const text = ["// Rows.", "interface Rows {", ...members, "}"].join("\n");
    const [entry, ...others] = [
      { ...outline[0], text, firstLine: 1, lastLine: 8 },
      ...outline.slice(1),
    ];
    const shown = compress(source.join("\n"), { budget: 300, outline: [entry, ...others] });
    expect(shown.text).toMatch(/^\[.*\]\n1: interface Rows \{\n(?!\d+: {2}member)/);
  });

  it("accepts the outline of another file", () => {
    const other = [{ text: "class Other", firstLine: 900, lastLine: 2 }, ...outline.toReversed()];
    const shown = compress(source.join("\n"), { budget: 300, outline: other });
    expect(shown.tokens).toBeLessThanOrEqual(300);
  });

  it("numbers the lines of code, which takes fewer tokens than a mark for each gap", () => {
    const lines = Array.from({ length: 80 }, (_, at) => [
      `def load_${at}(source, limit=${at}):`,
      `    """Loads the rows of ${at}.`,
      "",
      "    Returns",
      "    -------",
      `    rows of ${at}`,
      '    """',
      `    return [row for row in source if row.size < ${at}]`,
      "",
    ]).flat();
    const { text, kind } = compress(lines.join("\n"), { budget: 400 });
    expect(kind).toBe("code");
    const [title, ...shown] = text.split("\n");
    expect(title).toMatch(/^\[\d+ of 719 lines, with their numbers\]$/);
    for (const line of shown) {
      const [, number, words] = /^(\d+): (.*)$/.exec(line) ?? [];
      expect(words).toBe(lines[Number(number) - 1]);
    }
    expect(shown.filter((line) => line.includes(": def ")).length).toBeGreaterThan(20);
    expect(text).not.toContain("-------");
  });
});
