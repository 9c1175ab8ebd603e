import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compress } from "../compress.ts";
import { findRepeat } from "./find-repeat.ts";

const file = Array.from({ length: 200 }, (_, at) => `  take(${(at * 7919) % 997}, "${at}");`);
const known = (content: string): { name: string; content: string }[] => [
  { name: "artifact 0123456789ab", content },
];

describe("findRepeat", () => {
  it("is one line for the same content, and names the newest match", () => {
    const content = file.join("\n");
    const seen = [...known(content), { name: "the result of call_2", content }];
    expect(findRepeat(content, seen)).toMatchObject({
      text: "[The same as the result of call_2.]",
      isSame: true,
    });
  });

  it("shows what differs after an edit, with line numbers of the new content", () => {
    const edited = file.with(50, "  skip();").toSpliced(120, 1, "  one();", "  two();");
    const repeat = findRepeat(edited.join("\n"), known(file.join("\n")));
    expect(repeat?.text).toMatchInlineSnapshot(`
      "[As artifact 0123456789ab, but for 5 lines; - there, + here:]
      @@ 49 @@
         take(255, "48");
         take(198, "49");
      -  take(141, "50");
      +  skip();
         take(84, "51");
         take(27, "52");
      @@ 119 @@
         take(253, "118");
         take(196, "119");
      -  take(139, "120");
      +  one();
      +  two();
         take(82, "121");
         take(25, "122");"
    `);
  });

  it("shows the differing rows of JSON under their columns, even if the JSON is one line", () => {
    const rows = Array.from({ length: 80 }, (_, at) => ({ id: `o-${at}`, state: "paid", sum: at }));
    const later = rows.map((row) => (row.id === "o-41" ? { ...row, state: "open" } : row));
    const repeat = findRepeat(JSON.stringify(later), known(JSON.stringify(rows)));
    expect(repeat?.text).toMatchInlineSnapshot(`
      "[As artifact 0123456789ab, but for 2 rows; - there, + here:]
      @@ row 42 @@ id|state|sum
      -o-41|paid|41
      +o-41|open|41"
    `);
  });

  it("shows two lines around a change, one heading for neighbouring changes, and both ends", () => {
    const edited = ["first", ...file.with(10, "a").with(15, "b").with(21, "c"), "last"];
    const text = findRepeat(edited.join("\n"), known(file.join("\n")))?.text ?? "";
    expect(text.match(/^@@.*$/gm)).toEqual(["@@ 1 @@", "@@ 10 @@", "@@ 21 @@", "@@ 200 @@"]);
    expect(text.split("\n")).toHaveLength(29);
    expect(text).toContain(`\n@@ 1 @@\n+first\n ${file[0]}\n ${file[1]}\n@@ 10 @@\n`);
    expect(text.endsWith(` ${file[198]}\n ${file[199]}\n+last`)).toBe(true);
  });

  it("shows added, removed or changed rows in several tables, without the rows around them", () => {
    const table = (name: string): object[] =>
      Array.from({ length: 40 }, (_, at) => ({ id: `${name}-${at}`, sum: at * 3 }));
    const [orders, bills] = [table("o"), table("b")];
    const later = {
      orders: orders.with(3, { id: "o-3", sum: 1 }).with(4, { id: "o-4", sum: 2 }).toSpliced(20, 1),
      bills: [{ id: "b-new", sum: 0 }, ...bills],
    };
    const before = JSON.stringify({ orders, bills });
    expect(findRepeat(JSON.stringify(later), known(before))?.text).toMatchInlineSnapshot(`
      "[As artifact 0123456789ab, but for 10 rows; - there, + here:]
      @@ 1 @@
      -orders: 40 rows
      +orders: 39 rows
       id|sum
      @@ row 4 @@ id|sum
      -o-3|9
      -o-4|12
      +o-3|1
      +o-4|2
      @@ row 21 @@ id|sum
      -o-20|60
      @@ 40 @@
      -bills: 40 rows
      +bills: 41 rows
       id|sum
      +b-new|0"
    `);
  });

  it("names the row above if the last ones were removed", () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({ id: `o-${at}`, sum: at * 3 }));
    const [before, after] = [rows, rows.slice(0, 39)].map((list) => JSON.stringify({ list }));
    expect(findRepeat(after ?? "", known(before ?? ""))?.text).toContain(
      "@@ row 39 @@ id|sum\n-o-39|117",
    );
  });

  it("finds none if too much differs for a reader to follow", () => {
    const lines = Array.from({ length: 1_200 }, (_, at) => `line ${at} of a file`);
    const changed = (count: number): string =>
      lines.map((line, at) => (at % 3 === 0 && at < 3 * count ? `${line}!` : line)).join("\n");
    expect(findRepeat(changed(300), known(lines.join("\n")))?.text).toContain("for 600 lines");
    expect(findRepeat(changed(301), known(lines.join("\n")))).toBeUndefined();
  });

  it("reports that only blanks differ", () => {
    const content = file.join("\n");
    expect(findRepeat(`${content}\n`, known(content))).toMatchObject({
      text: "[The same as artifact 0123456789ab, but for blanks.]",
      isSame: false,
    });
  });

  it("compares with the nearest of the newest 64 contents of similar length", () => {
    const near = file.with(1, "  other();").join("\n");
    const far = file.map((text, at) => (at % 3 === 0 ? `${text} //` : text)).join("\n");
    const content = file.join("\n");
    const name = (contents: string[], given = content): string | undefined =>
      findRepeat(
        given,
        contents.map((text, at) => ({ name: `${at}`, content: text })),
      )?.known.name;
    expect(name([far, near, far])).toBe("1");
    expect(name([near, near])).toBe("1");
    expect(name([content, ...Array<string>(63).fill("x")])).toBe("0");
    expect(name([content, ...Array<string>(64).fill("x")])).toBeUndefined();
    expect(name([`${content}\n${content}`])).toBeUndefined();
    expect(name([file.slice(0, 120).join("\n")])).toBe("0");
    expect(name([content], file.slice(0, 90).join("\n"))).toBeUndefined();
  });

  it("finds none if little is the same", () => {
    const other = file.map((line) => line.replace("take", "give"));
    expect(findRepeat(other.join("\n"), known(file.join("\n")))).toBeUndefined();
    expect(findRepeat("", known(file.join("\n")))).toBeUndefined();
    expect(findRepeat("a", [])).toBeUndefined();
  });

  it("loses nothing: the differences restore the content", () => {
    const line = fc.integer({ min: 0, max: 30 }).map((at) => `line ${at} of a file`);
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 5, maxLength: 60 }),
        fc.array(fc.tuple(fc.nat(60), fc.nat(3), fc.array(line, { maxLength: 3 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (before, edits) => {
          const after = [...before];
          for (const [at, count, lines] of edits) after.splice(at, count, ...lines);
          const repeat = findRepeat(after.join("\n"), known(before.join("\n")));
          if (repeat === undefined) return;
          expect(repeat.isSame ? before : applied(before, repeat.text)).toEqual(after);
          const changes = repeat.text.match(/^[-+]/gm)?.length ?? 0;
          expect(repeat.isSame ? changes : `${changes} lines`).toBe(
            repeat.isSame ? 0 : /but for (\d+ lines)/.exec(repeat.text)?.[1],
          );
        },
      ),
    );
  });
});

describe("compress with known contents", () => {
  it("shows the differences if they are shorter, even if the rest would not fit", () => {
    const edited = file.with(50, "  skip();").join("\n");
    const shown = compress(edited, { budget: 120, known: known(file.join("\n")) });
    expect(shown).toMatchObject({ isLossless: true, omitted: 0, ranges: [] });
    expect(shown.known?.name).toBe("artifact 0123456789ab");
    expect(shown.text).toContain("+  skip();");
    expect(shown.tokens).toBeLessThan(120);
    expect(compress(edited, { budget: 120 }).isLossless).toBe(false);
  });

  it("shows a short content in full, and stays within the budget if the differences do not fit", () => {
    const short = compress("done", { budget: 50, known: known("done") });
    expect([short.text, short.known]).toEqual(["done", undefined]);
    const edited = file.map((line, at) => (at % 3 === 0 ? `${line} // ${at}` : line)).join("\n");
    const shown = compress(edited, { budget: 100, known: known(file.join("\n")) });
    expect([shown.known, shown.isLossless]).toEqual([undefined, false]);
    expect(shown.tokens).toBeLessThanOrEqual(100);
  });
});

/** Rebuilds the new content from hunks that begin at one of its lines. */
function applied(before: readonly string[], text: string): string[] {
  const lines = text.split("\n").slice(1);
  const after: string[] = [];
  let next = 0;
  for (const line of lines) {
    const start = /^@@ (\d+) @@$/.exec(line)?.[1];
    if (start !== undefined) {
      while (after.length < Number(start) - 1) after.push(before[next++] ?? "");
      if (after.length !== Number(start) - 1) return [`${line} is written already`];
    } else if (line.startsWith("+")) after.push(line.slice(1));
    else {
      if (before[next] !== line.slice(1)) return [`${line} does not follow ${before[next - 1]}`];
      next += 1;
      if (line.startsWith(" ")) after.push(line.slice(1));
    }
  }
  return [...after, ...before.slice(next)];
}
