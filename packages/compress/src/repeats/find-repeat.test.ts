import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compress } from "../compress.ts";
import { findRepeat } from "./find-repeat.ts";

const file = Array.from({ length: 200 }, (_, at) => `  take(${(at * 7919) % 997}, "${at}");`);
const known = (content: string): { name: string; content: string }[] => [
  { name: "artifact 0123456789ab", content },
];

describe("findRepeat", () => {
  it("is one line for the same content, and names the newest that says it", () => {
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

  it("shows the rows of JSON that differ under their columns, though all of it is one line", () => {
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

  it("finds none where little is the same", () => {
    const other = file.map((line) => line.replace("take", "give"));
    expect(findRepeat(other.join("\n"), known(file.join("\n")))).toBeUndefined();
    expect(findRepeat("", known(file.join("\n")))).toBeUndefined();
    expect(findRepeat("a", [])).toBeUndefined();
  });

  it("loses nothing: the differences give the content back", () => {
    const line = fc.integer({ min: 0, max: 30 }).map((at) => `line ${at} of a file`);
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 20, maxLength: 60 }),
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
        },
      ),
    );
  });
});

describe("compress with what was seen", () => {
  it("takes the difference where that is shorter, and needs no room for the rest", () => {
    const edited = file.with(50, "  skip();").join("\n");
    const shown = compress(edited, { budget: 120, known: known(file.join("\n")) });
    expect(shown).toMatchObject({ isLossless: true, omitted: 0, ranges: [] });
    expect(shown.known?.name).toBe("artifact 0123456789ab");
    expect(shown.text).toContain("+  skip();");
    expect(shown.tokens).toBeLessThan(120);
    expect(compress(edited, { budget: 120 }).isLossless).toBe(false);
  });

  it("shows a short content itself, and keeps the budget where the difference does not fit", () => {
    const short = compress("done", { budget: 50, known: known("done") });
    expect([short.text, short.known]).toEqual(["done", undefined]);
    const edited = file.map((line, at) => (at % 3 === 0 ? `${line} // ${at}` : line)).join("\n");
    const shown = compress(edited, { budget: 100, known: known(file.join("\n")) });
    expect([shown.known, shown.isLossless]).toEqual([undefined, false]);
    expect(shown.tokens).toBeLessThanOrEqual(100);
  });
});

/** A reader's way back, by hunks that begin at a line of the new content. */
function applied(before: readonly string[], text: string): string[] {
  const lines = text.split("\n").slice(1);
  const after: string[] = [];
  let next = 0;
  for (const line of lines) {
    const start = /^@@ (\d+) @@$/.exec(line)?.[1];
    if (start !== undefined) {
      while (after.length < Number(start) - 1) after.push(before[next++] ?? "");
    } else if (line.startsWith("+")) after.push(line.slice(1));
    else {
      if (before[next] !== line.slice(1)) return [`${line} does not follow ${before[next - 1]}`];
      next += 1;
      if (line.startsWith(" ")) after.push(line.slice(1));
    }
  }
  return [...after, ...before.slice(next)];
}
