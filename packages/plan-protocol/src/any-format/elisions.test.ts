import { readdirSync, readFileSync } from "node:fs";

import { sha256Hex } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { byLength } from "../../../../scripts/lengths/test-length.mjs";
import { validatePlan } from "../validate/validate-plan.ts";
import { parseEdits } from "./parse-edits.ts";

/** What models write for lines that they leave out. */
const KINDS = [
  "// ...",
  "// …",
  "// ... existing code ...",
  "// … existing code …",
  "// ... rest of the file ...",
  "// rest of the file stays the same",
  "// (unchanged)",
  "// unchanged",
  "// previous functions stay the same",
  "// other methods here",
  "// [existing code]",
  "//...",
  "/* ... */",
  "/* existing styles */",
  "/* ... unchanged ... */",
  "/* snip */",
  "# ...",
  "# rest of code unchanged",
  "# ... (existing code)",
  "# existing imports",
  "<!-- ... -->",
  "<!-- rest of the page -->",
  "{/* ... existing JSX ... */}",
  "-- ...",
  "-- snip --",
  "...",
  "…",
  "[... lines 20-80 omitted ...]",
  "... (rest unchanged) ...",
  "; unchanged",
];

const FILE_COUNT = byLength({ test: 10, ci: 100 });
/** Sources of published packages, whose versions the lock file holds: they are the same at every commit. */
const root = new URL("../../../", import.meta.url);
const files = [
  "plan-protocol/node_modules/zod/src",
  "structured-output/node_modules/ai/src",
  "structured-output/node_modules/ajv/lib",
  "providers/node_modules/openai/src",
]
  .flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map(
      (name) => `${folder}/${name}`,
    ),
  )
  // Of a test in which each case is like the last, a few lines rightly name no place.
  .filter((path) => path.endsWith(".ts") && !/\btests?\b/.test(path))
  .sort();

/** Numbers from 0 on below `count`, the same for a seed. */
function numbersOf(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

interface Sample {
  path: string;
  text: string;
}

function chosenFiles(next: (count: number) => number): Sample[] {
  const chosen: Sample[] = [];
  while (chosen.length < FILE_COUNT) {
    const path = files[next(files.length)] ?? "";
    const text = readFileSync(new URL(path, root), "utf8");
    const count = text.split("\n").length;
    if (
      count >= 40 &&
      count <= 600 &&
      !/```|^<{7} /m.test(text) &&
      !chosen.some((one) => one.path === path)
    )
      chosen.push({ path, text });
  }
  return chosen;
}

type Outcome = "exact" | "refused" | "wrong";

const PATH = "a.ts";
const FRESH = ["const changed = 1;", "use(changed);"];

const inFence = (lines: readonly string[]): string =>
  `${PATH}\n\`\`\`\`ts\n${lines.join("\n")}\n\`\`\`\`\n`;
const linesOf = ({ text }: Sample): string[] => text.replace(/\n$/, "").split("\n");

/** Whether an answer gives the wanted lines, and with as many remarks on lines that were kept. */
function outcomeOf(
  { text }: Sample,
  answer: string,
  wanted: readonly string[],
  merged: number,
): Outcome {
  const readSet = new Map([[PATH, { path: PATH, text, sha256: sha256Hex(text) }]]);
  const read = parseEdits(answer, { readSet });
  if (!read.ok) return "refused";
  const [action] = read.value.plan.actions;
  if (action === undefined || !("content" in action)) return "wrong";
  const remarks = "remarks" in action ? (action.remarks ?? []) : [];
  const isListed =
    remarks.filter((remark) => / stands for .* kept\.$/.test(remark)).length === merged;
  return action.content === `${wanted.join("\n")}\n` && isListed ? "exact" : "wrong";
}

type Next = (count: number) => number;

/** A line in the middle is changed, and lines above and below it are left out. */
function elided(sample: Sample, kind: string, next: Next): Outcome {
  const lines = linesOf(sample);
  const at = 15 + next(lines.length - 30);
  const [head, above, below] = [3 + next(4), at - 2 - next(3), at + 3 + next(3)];
  const tail = lines.length - (next(3) === 0 ? 0 : 2 + next(4));
  const mark = (/^\s*/.exec(lines[above] ?? "")?.[0] ?? "") + kind;
  const change = [...lines.slice(above, at), ...FRESH, ...lines.slice(at + 1, below)];
  const given = [...lines.slice(0, head), mark, ...change, mark, ...lines.slice(tail)];
  const wanted = [...lines.slice(0, above), ...change, ...lines.slice(below)];
  return outcomeOf(sample, inFence(given), wanted, 2);
}

/** The same in a block that quotes the old lines whole. */
function elidedInBlock(sample: Sample, kind: string, next: Next): Outcome {
  const lines = linesOf(sample);
  const start = next(lines.length - 30);
  const old = lines.slice(start, start + 24);
  const given = [...old.slice(0, 4), kind, ...old.slice(16, 20), ...FRESH, ...old.slice(20)];
  const wanted = [...old.slice(0, 20), ...FRESH, ...old.slice(20)];
  const answer = `${PATH}\n<<<<<<< SEARCH\n${old.join("\n")}\n=======\n${given.join("\n")}\n>>>>>>> REPLACE\n`;
  return outcomeOf(
    sample,
    answer,
    [...lines.slice(0, start), ...wanted, ...lines.slice(start + 24)],
    1,
  );
}

const COMMENTS = [
  "// Sorted by name.",
  "# Only for tests",
  "/* The caller closes it. */",
  "-- see the docs",
  "// TODO: check the other case",
];
/** Changes with a comment of their own: what comes for one line of the file. */
const CHANGES: readonly ((line: string, comment: string) => string[])[] = [
  (line, comment) => [comment, line],
  (_line, comment) => [comment, ...FRESH],
  (_line, comment) => [comment],
  (line) => [`// ${line.trim()}`],
  (line, comment) => [line, "", comment, "function added() {", "  return 1;", "}"],
];

/** A whole file with a true comment in it. */
function commented(sample: Sample, comment: string, next: Next): Outcome {
  const lines = linesOf(sample);
  const at = 5 + next(lines.length - 10);
  const change = CHANGES[next(CHANGES.length)] ?? ((line) => [line]);
  const fresh = change(lines[at] ?? "", comment);
  const wanted = [...lines.slice(0, at), ...fresh, ...lines.slice(at + 1)];
  return outcomeOf(sample, inFence(wanted), wanted, 0);
}

function count(
  kinds: readonly string[],
  run: (sample: Sample, kind: string, next: Next) => Outcome,
): Record<Outcome, number> {
  const next = numbersOf(7);
  const samples = chosenFiles(next);
  const counts: Record<Outcome, number> = { exact: 0, refused: 0, wrong: 0 };
  for (const kind of kinds) for (const sample of samples) counts[run(sample, kind, next)] += 1;
  return counts;
}

describe("lines that are left out", () => {
  const all = KINDS.length * FILE_COUNT;

  it("of whole files are merged exactly in 92 of 100 cases, and no line is lost", () => {
    const { exact, wrong } = count(KINDS, elided);
    expect(wrong).toBe(0);
    expect(exact).toBeGreaterThanOrEqual(0.92 * all);
  });

  it("of blocks are never lost, and merged where dots say that they are left out", () => {
    expect(count(KINDS, elidedInBlock).wrong).toBe(0);
    const dotted = KINDS.filter((kind) => /\.{3}|…/.test(kind));
    const { exact } = count(dotted, elidedInBlock);
    expect(exact).toBeGreaterThanOrEqual(0.9 * dotted.length * FILE_COUNT);
  });

  it("are not seen in true comments", () => {
    const { exact, wrong } = count(COMMENTS, commented);
    expect(wrong).toBe(0);
    expect(exact).toBeGreaterThanOrEqual(0.98 * COMMENTS.length * FILE_COUNT);
  });

  it("are kept nearly always where the file has such a line of its own", () => {
    const own = (sample: Sample, kind: string, next: Next): Outcome => {
      const lines = linesOf(sample);
      const text = [...lines.slice(0, 12), kind, ...lines.slice(12), ""].join("\n");
      return elided({ ...sample, text }, kind, next);
    };
    const marks = ["// ...", "...", "# ...", "/* ... */"];
    const { exact, wrong } = count(marks, own);
    // What stands above or below the file's own dots may be read both ways.
    expect(wrong).toBeLessThanOrEqual(0.01 * marks.length * FILE_COUNT);
    expect(exact).toBeGreaterThanOrEqual(0.88 * marks.length * FILE_COUNT);
  });

  it.each(["// (unchanged)", "// ..."])(
    "are not lost behind %s where the lines below it stand more than once",
    (mark) => {
      const rows = ["a", "b", "c", "d"].flatMap((name) => [
        `  "${name}",`,
        "  undefined,",
        '  ["ERR"],',
        "], [",
      ]);
      const old = ["[", ...rows, '  "last",', "]"];
      const fresh = ["[", '  "a",', mark, ...rows.slice(1, 4), ...FRESH, '  "last",', "]"];
      const sample = { path: PATH, text: `${old.join("\n")}\n` };
      const answer = `${PATH}\n<<<<<<< SEARCH\n${old.join("\n")}\n=======\n${fresh.join("\n")}\n>>>>>>> REPLACE\n`;
      expect(outcomeOf(sample, answer, [], 0)).toBe("refused");
    },
  );

  it("are not lost behind a comment in a block that two places of the old lines may mean", () => {
    const half = ["case();", "  make(it);", "  type In;", "  type Out;", "  seen(it);"];
    const old = ["first();", ...half, "  same(it);", "});", "", ...half, "  other(it);", "});"];
    const fresh = [...old.slice(0, 2), "/* existing styles */", ...half.slice(2), ...FRESH];
    const answer = `${PATH}\n<<<<<<< SEARCH\n${old.join("\n")}\n=======\n${fresh.join("\n")}\n>>>>>>> REPLACE\n`;
    const sample = { path: PATH, text: `${old.join("\n")}\n` };
    expect(outcomeOf(sample, answer, [], 0)).toBe("refused");
  });

  it.each(["// …", "/* ... */", "<!-- rest of the page -->"])(
    "are not lost behind %s where a new line ends the file",
    (mark) => {
      const text = Array.from({ length: 30 }, (_, at) => `line${at}();\n`).join("");
      const kept = linesOf({ path: PATH, text }).slice(0, 20);
      expect(outcomeOf({ path: PATH, text }, inFence([...kept, mark, "fresh();"]), [], 0)).toBe(
        "refused",
      );
    },
  );

  it("are those of the file where both lines beside them are new and none is missing", () => {
    const text = `${Array.from({ length: 9 }, (_, at) => `line ${at}`).join("\n")}\n`.replace(
      "line 4",
      "| ...",
    );
    const fresh = text.replace("line 3", "other 3").replace("line 5", "other 5");
    const sample = { path: PATH, text };
    expect(
      outcomeOf(
        sample,
        inFence(linesOf({ path: PATH, text: fresh })),
        linesOf({ path: PATH, text: fresh }),
        0,
      ),
    ).toBe("exact");
    const cut = linesOf({ path: PATH, text: fresh.replace("line 6\nline 7\n", "") });
    expect(outcomeOf(sample, inFence(cut), cut, 0)).toBe("refused");
  });

  it.each([
    ["quotes dots", ["/** Wraps a failure. */"], ['/** Wraps it; ends with "Could not ...". */']],
    [
      "is about dots",
      ["/** The leaves, or `{...}`. */"],
      ["/**", " * The leaves. Deeper:", " * `{...}`.", " */"],
    ],
    [
      "lists with dots",
      ["/** The text with `$1`, ... */"],
      ["/** Writes the text with `$1`, ... */"],
    ],
    [
      "is reworded line by line",
      ["// Kits that run together", "// starve each other."],
      ["// Several at once would wait", "// if their timers were this short."],
    ],
  ])("are not seen where a comment %s", (_, old, fresh) => {
    const [before, after] = [old, fresh].map((comment) => ["a();", ...comment, "b();", "c();"]);
    const sample = { path: PATH, text: `${before?.join("\n")}\n` };
    const block = `${PATH}\n<<<<<<< SEARCH\n${before?.join("\n")}\n=======\n${after?.join("\n")}\n>>>>>>> REPLACE\n`;
    for (const answer of [block, inFence(after ?? [])])
      expect(outcomeOf(sample, answer, after ?? [], 0)).toBe("exact");
    // The control: dots of its own in the same place.
    const cut = inFence(["a();", "// ...", "c();", "d();"]);
    expect(outcomeOf(sample, cut, ["a();", "c();", "d();"], 0)).not.toBe("exact");
  });

  /** The new text of a plan that gives a whole file. Undefined where it is refused. */
  const updated = (text: string, lines: readonly string[]): string | undefined => {
    const content = `${lines.join("\n")}\n`;
    const readSet = new Map([[PATH, { text, sha256: sha256Hex(text) }]]);
    const valid = validatePlan(
      {
        version: 1,
        actions: [{ kind: "UPDATE_FILE", path: PATH, content }],
        context_requests: [],
        memory_patch: {},
      },
      { mode: "apply", readSet },
    );
    const [action] = valid.ok ? valid.value.actions : [];
    return action !== undefined && "content" in action ? action.content : undefined;
  };
  const functions = Array.from({ length: 30 }, (_, at) => `line${at}();`);

  it.each([
    ["a licence", 0, ["// Copyright 2013 The Authors", "//", "// All rights are reserved.", ""]],
    ["a remark of many lines", 9, ["// Of the original", "// order, since", "// others wait.", ""]],
  ])("are not seen in %s above lines that stay", (_, at, comment) => {
    // A line of the comment also stands further below, as if what is between them were left out.
    const own = [...functions.slice(0, 20), ...comment.slice(1, 3), ...functions.slice(20)];
    const text = `${own.join("\n")}\n`;
    const fresh = [...own.slice(0, at), ...comment, ...own.slice(at)];
    expect(updated(text, fresh)).toBe(`${fresh.join("\n")}\n`);
    expect(outcomeOf({ path: PATH, text }, inFence(fresh), fresh, 0)).toBe("exact");
  });

  it.each([
    ["// Symbols only.", true],
    ["// Text", true],
    ["// The existing ones.", false],
    ["// (unchanged)", false],
    ["// ...", false],
  ])(
    "beside new code of a file said to be whole are seen only behind words of leaving out: %s",
    (comment, isTaken) => {
      const text = `${functions.join("\n")}\n`;
      const fresh = [...functions.slice(0, 10), comment, ...FRESH, ...functions.slice(20)];
      const wanted = `${fresh.join("\n")}\n`;
      expect(updated(text, fresh)).toBe(isTaken ? wanted : undefined);
      // A fence may hold a part of a file.
      expect(outcomeOf({ path: PATH, text }, inFence(fresh), fresh, 0)).toBe("refused");
    },
  );

  it.each(["// Text", "/* Handlers of the routes */"])(
    "are never put in place of %s, which does not speak of them",
    (comment) => {
      const text = `${functions.join("\n")}\n`;
      const kept = functions.slice(20);
      const fresh = [...functions.slice(0, 10), comment, ...kept, ...FRESH];
      expect(updated(text, fresh)).toBeUndefined();
      expect(outcomeOf({ path: PATH, text }, inFence(fresh), fresh, 0)).toBe("refused");
    },
  );

  /** One line in place of ten. */
  const replaced = (sample: Sample, line: string, next: Next): Outcome => {
    const lines = linesOf(sample);
    // Where too few of the ten say something, little is lost.
    const places = lines.flatMap((_, at) =>
      lines.slice(at, at + 10).filter((one) => one.trim() !== "").length > 7 ? [at] : [],
    );
    const at = places[next(places.length - 12)] ?? 0;
    const wanted = [...lines.slice(0, at), line, ...lines.slice(at + 10)];
    return outcomeOf(sample, inFence(wanted), wanted, 0);
  };

  it("are not lost behind other dots, signs, or a line that holds an elision", () => {
    const marks = [
      ..."\u22ee|// \u22ef|. . .|// .. ..|---|~~~|# .|// ---|// \u2702".split("|"),
      ..."pass  # ... rest|doIt(); // ... rest unchanged|def g(): ...|f() { ... }".split("|"),
      ..."function g() { /* existing body */ }|function g() { // ... }|{/* \u2026 */}".split("|"),
    ];
    expect(count(marks, replaced).exact).toBe(0);
  });

  it("are not seen where a line of code comes for many", () => {
    const code =
      "return { ...one, two };|f(...all);|}|`it waits ...`;|run(); // waits ...|/**|*|*/".split(
        "|",
      );
    const { exact } = count(code, replaced);
    expect(exact).toBeGreaterThanOrEqual(0.98 * code.length * FILE_COUNT);
  });

  it.each([
    ["a snapshot", "expect(text).toBe(`", "`);"],
    ["a text of Python", 'LOG = """', '"""'],
  ])("are not seen in brackets inside %s of a new file", (_, opening, closing) => {
    const created = (...lines: string[]): boolean =>
      parseEdits(`*** Begin Patch\n*** Add File: a.ts\n+${lines.join("\n+")}\n*** End Patch`, {
        readSet: new Map(),
      }).ok;
    const mark = "  [... 2,371 characters removed ...]";
    expect(created(opening, "  line 1", mark, "  line 300", closing)).toBe(true);
    // The controls: the same line as code, and a comment of code inside such a text.
    expect(created("a();", mark, "b();")).toBe(false);
    expect(created(opening, "  line 1", closing, mark)).toBe(false);
    expect(created(opening, "  // ... rest of the code", closing)).toBe(false);
  });

  it("are kept below new code that ends as the old code below it", () => {
    const types = ["import { a } from 'a';", "", "interface Options {", "  size: number;", "}", ""];
    const old = [...types, ...functions];
    const added = ["export function first() {", "  return 1;", "}"];
    const fresh = [...types.slice(0, 2), ...added, "// ... existing code ..."];
    const wanted = [...types.slice(0, 2), ...added, "", ...old.slice(2)];
    const sample = { path: PATH, text: `${old.join("\n")}\n` };
    expect(outcomeOf(sample, inFence(fresh), wanted, 1)).toBe("exact");
    // Dots that say nothing may stand for lines that the new ones replace.
    expect(outcomeOf(sample, inFence([...fresh.slice(0, -1), "..."]), [], 0)).toBe("refused");
  });

  it("are kept around a function whose first or last lines change, by its brackets", () => {
    const text = `${[...functions, "run(1, () => {", "  same();", "  log();", "});"].join("\n")}\n`;
    const fresh = ["// ... existing code ...", "run(2, () => {", "  same();", "  log();", "});"];
    const wanted = [...functions, ...fresh.slice(1)];
    expect(outcomeOf({ path: PATH, text }, inFence(fresh), wanted, 1)).toBe("exact");
  });

  it("are not seen in code with brackets and dots in a text", () => {
    const text = `${functions.join("\n")}\n`;
    const code = 'const more = isList ? "[...]" : "{...}";';
    const fresh = [...functions.slice(0, 10), code, ...functions.slice(18)];
    expect(outcomeOf({ path: PATH, text }, inFence(fresh), fresh, 0)).toBe("exact");
  });

  it("are lost where nothing stands for them, so the measure can fail", () => {
    const shortened = (sample: Sample): Outcome => {
      const lines = linesOf(sample);
      const answer = inFence([...lines.slice(0, 20), ...lines.slice(24)]);
      const outcome = outcomeOf(sample, answer, lines, 0);
      // A file with dots of its own may be refused, which shows the loss as well.
      return outcome === "refused" && /\.{3}|…/.test(sample.text) ? "wrong" : outcome;
    };
    expect(count([""], shortened).wrong).toBe(FILE_COUNT);
  });
});
