import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyContextDiet } from "./apply-context-diet.ts";
import type { ContextBlock } from "./context-block.ts";

const file = (label: string, length: number, priority = 0): ContextBlock => ({
  type: "read_file",
  label,
  text: label.repeat(length),
  priority,
});
const other = (type: "search" | "logs" | "env", length: number): ContextBlock => ({
  type,
  label: type,
  text: "x".repeat(length),
});

function lengths(blocks: ContextBlock[], limits: Parameters<typeof applyContextDiet>[1]): string {
  return applyContextDiet(blocks, limits)
    .blocks.map((block) => `${block.label}:${block.text.length}`)
    .join(" ");
}

describe("applyContextDiet", () => {
  it("leaves what fits as it is", () => {
    const blocks = [file("a", 10), other("env", 5)];
    expect(applyContextDiet(blocks)).toEqual({
      blocks,
      dropped: [],
      stats: {
        files: 2,
        dropped: 0,
        truncated: 0,
        total_chars: 15,
      },
    });
  });

  it("keeps head and tail, 60 to 40, and says how much is missing", () => {
    const text = "h".repeat(500) + "t".repeat(500);
    const { blocks } = applyContextDiet([{ type: "read_file", label: "a", text, sha256: "00" }], {
      maxContextFileChars: 127,
    });
    expect(blocks).toEqual([
      {
        type: "read_file",
        label: "a",
        text: `${"h".repeat(60)}...[TRUNCATED 900 chars]...${"t".repeat(40)}`,
        sha256: "00",
      },
    ]);
  });

  it.each([
    ["search first", 35_000, "logs:10000 env:10000 a:10000"],
    ["then logs", 22_000, "logs:2000 env:10000 a:10000"],
    ["then the environment", 12_000, "env:2000 a:10000"],
    ["then files", 5_000, "a:5000"],
  ])("takes from %s", (_name, maxContextTotalChars, expected) => {
    const blocks = [
      other("search", 10_000),
      other("logs", 10_000),
      other("env", 10_000),
      file("a", 10_000),
    ];
    const limits = {
      maxContextTotalChars: maxContextTotalChars - (maxContextTotalChars === 35_000 ? 5_000 : 0),
    };
    expect(lengths(blocks, limits)).toBe(expected);
  });

  it("takes from files of less worth first, and keeps 4,000 characters of each of the others", () => {
    const blocks = [file("a", 10_000), file("b", 10_000, 2), file("c", 10_000)];
    expect(lengths(blocks, { maxContextTotalChars: 14_000 })).toBe("a:10000 c:4000");
    expect(lengths(blocks, { maxContextTotalChars: 9_000 })).toBe("a:5000 c:4000");
  });

  it("shares equally where not all guarantees fit", () => {
    const blocks = [file("a", 10_000), file("b", 500), file("c", 10_000)];
    expect(lengths(blocks, { maxContextTotalChars: 4_500 })).toBe("a:2000 b:500 c:2000");
  });

  it("drops the least worth beyond the number of blocks, and logs beyond their own limit", () => {
    const blocks = [
      other("search", 1),
      file("a", 1),
      file("b", 1, 3),
      other("logs", 500),
      file("c", 1),
    ];
    expect(lengths(blocks, { maxContextFiles: 3 })).toBe("a:1 b:1 c:1");
    expect(lengths([other("logs", 500), other("logs", 500)], { maxContextLogChars: 700 })).toBe(
      "logs:500 logs:200",
    );
  });

  it("never exceeds a limit, never cuts a character in two, and accounts for every block", () => {
    const blocks = fc.array(
      fc.record({
        type: fc.constantFrom(
          "read_file" as const,
          "search" as const,
          "logs" as const,
          "env" as const,
        ),
        label: fc.constant("x"),
        text: fc.nat(9_000).map((length) => "\ud83d\ude00y".repeat(length)),
        priority: fc.nat(2),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        blocks,
        fc.nat(40_000),
        fc.nat(9_000),
        fc.nat(10),
        (given, total, each, count) => {
          const limits = {
            maxContextTotalChars: total,
            maxContextFileChars: each,
            maxContextFiles: count,
          };
          const { blocks, dropped, stats } = applyContextDiet(given, limits);
          expect(stats.total_chars).toBeLessThanOrEqual(total);
          const logs = blocks.filter(({ type }) => type === "logs").map(({ text }) => text);
          expect(logs.join("").length).toBeLessThanOrEqual(12_000);
          expect(blocks.length).toBeLessThanOrEqual(count);
          expect(blocks.length + dropped.length).toBe(given.length);
          for (const { text } of blocks) {
            expect(text.length).toBeLessThanOrEqual(each);
            expect(/\p{Surrogate}/u.test(text)).toBe(false);
          }
        },
      ),
    );
  });
});
