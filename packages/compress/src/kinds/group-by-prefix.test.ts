import { describe, expect, it } from "vitest";

import { compress } from "../compress.ts";
import { groupByPrefix } from "../compress.ts";

const hits = [
  "src/a/first.ts:1:import x",
  "src/a/first.ts:2:const: 7-8-9",
  "src/a/first.ts:3:",
  "src/a/first.ts:40:7:return x",
  "src/b.ts:5:--",
  "src/c-12-d.ts:9:last",
  "src/c-12-d.ts:10:",
];

const paths = [
  ".",
  "./lib",
  "./lib/a.ts",
  "./lib/b.ts",
  "./lib/deep/c.ts",
  "README.md",
  "LICENSE",
  "src/x",
  "src/y/",
];

/** Restores the original lines from the groups. */
function expand(shown: string, headingOf: (line: string) => string | undefined): string[] {
  let heading: string | undefined;
  let isStart = true;
  const lines: string[] = [];
  for (const line of shown.split("\n")) {
    const named: string | undefined = isStart ? headingOf(line) : undefined;
    if (line === "") heading = undefined;
    else if (named !== undefined) heading = named;
    else if (heading === undefined) lines.push(line);
    else lines.push(heading.endsWith("/") ? heading + line : `${heading}:${line}`);
    isStart = heading === undefined;
  }
  return lines;
}

describe("groupByPrefix", () => {
  it("loses nothing from hits", () => {
    const shown = groupByPrefix(hits.join("\n"), "matches") ?? "";
    expect(shown).toMatch(/^src\/a\/first\.ts\n1:import x\n2:const: 7-8-9\n3:\n40:7:return x\n\n/);
    const isFile = (line: string): string | undefined =>
      /:\d+:/.test(line) ? undefined : line || undefined;
    expect(expand(shown, isFile)).toEqual(hits);
  });

  it("loses nothing from paths", () => {
    const shown = groupByPrefix(paths.join("\n"), "listing") ?? "";
    expect(shown).toContain("./lib/:\na.ts\nb.ts\n");
    const isFolder = (line: string): string | undefined =>
      line.endsWith(":") ? line.slice(0, -1) : undefined;
    expect(expand(shown, isFolder)).toEqual(paths);
  });

  it("leaves lines that are not hits or have no neighbours unchanged", () => {
    expect(groupByPrefix(`${hits.join("\n")}\nBinary file x matches`, "matches")).toBeUndefined();
    expect(groupByPrefix("a/b\nc/d\ne/f", "listing")).toBeUndefined();
  });

  it("is used if it takes fewer tokens, and makes room for more", () => {
    const many = Array.from(
      { length: 60 },
      (_, at) => `packages/server/src/routes/orders/list.ts:${at + 1}:call(${at})`,
    ).join("\n");
    const whole = compress(many, { budget: 5_000 });
    expect(whole.isLossless).toBe(true);
    expect(whole.text).toMatch(/^packages\/server\/src\/routes\/orders\/list\.ts\n1:call\(0\)\n2:/);
    expect(compress(many, { budget: whole.tokens })).toEqual(whole);
    const few = "a/b.ts:1:x\na/c.ts:2:y\na/d.ts:3:z";
    expect(compress(few, { budget: 500 }).text).toBe(few);
  });
});
