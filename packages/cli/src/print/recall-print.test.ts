import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { runCcl, type CclRun } from "../__fixtures__/run-ccl.ts";
import { digestOf, RECORD_FILE } from "./print-record.ts";
import { recallPrint } from "./recall-print.ts";

const FILES = ["src/a.ts", "src/b.ts", "src/deep/c.ts", "docs/d.md"];
const pack = ["pack", "--task", "Say what a does", "--model-encoding", "estimate"];
const { numRuns = 200 } = fc.readConfigureGlobal();

let folder = "";
let root = "";

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "ccl-print-")));
  root = join(folder, "project");
  for (const [index, file] of FILES.entries()) put(file, textOf(index));
  // Files as new as these are trusted only by a later clock.
  vi.useFakeTimers({ now: Date.now() + 60_000, toFake: ["Date"] });
  await ccl(["init", "--yes"]);
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const ccl = (args: string[], cwd: string = root): Promise<CclRun> => runCcl(args, { cwd });
const at = (path: string): string => join(root, path);
const textOf = (seed: number): string => `export const name${seed % 10} = ${seed % 7};\n`;
const recall = (args: string[] = pack, cwd: string = root): string | undefined => {
  const bytes = recallPrint(args, { cwd: () => cwd });
  return bytes && Buffer.from(bytes).toString("utf8");
};

function put(path: string, text: string): void {
  mkdirSync(join(at(path), ".."), { recursive: true });
  writeFileSync(at(path), text);
  // Whole seconds, which can be put back exactly.
  utimesSync(at(path), 1_000_000_000, 1_000_000_000);
}

/** What the command itself prints for the project as it is now, without anything that was kept. */
async function printAnew(): Promise<CclRun> {
  const copy = join(folder, "copy");
  rmSync(copy, { recursive: true, force: true });
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path !== at(".ccl/cache"),
  });
  return await ccl([...pack, "--show"], copy);
}

/** The grain of a file's times is some milliseconds: until it has passed, a change can't be seen. */
function passGrain(): void {
  const probe = join(folder, "probe");
  const stamp = (): number => {
    writeFileSync(probe, "");
    return lstatSync(probe).ctimeMs;
  };
  for (const start = stamp(); stamp() === start;);
}

const EDITS: Record<string, (path: string, seed: number) => void> = {
  nothing: () => undefined,
  "other content": (path, seed) => writeFileSync(at(path), `${textOf(seed)}// ${seed}\n`),
  "content of the same size, times put back": (path, seed) => {
    const { atime, mtime } = lstatSync(at(path));
    writeFileSync(at(path), textOf(seed));
    utimesSync(at(path), atime, mtime);
  },
  "a new file": (_, seed) => put(`src/new${seed}.ts`, textOf(seed)),
  removal: (path) => rmSync(at(path)),
  "a move": (path, seed) => renameSync(at(path), `${at(path)}.${seed}`),
  "two files that change places": (path) => {
    const other = path === "src/a.ts" ? "src/b.ts" : "src/a.ts";
    renameSync(at(path), at("held"));
    renameSync(at(other), at(path));
    renameSync(at("held"), at(other));
  },
  "other rights": (path, seed) => chmodSync(at(path), seed % 2 === 0 ? 0o600 : 0o644),
  "ignore rules above": (path) => writeFileSync(at(".gitignore"), `${path}\n`),
  "ignore rules beside": () => writeFileSync(at("src/.gitignore"), "*.ts\n"),
  "a link in place of a file": (path) => {
    renameSync(at(path), join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), at(path));
  },
  "a link in place of a folder": () => {
    renameSync(at("src"), join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), at("src"));
  },
  "another alias": () =>
    writeFileSync(
      at(".ccl/aliases.json"),
      readFileSync(at(".ccl/aliases.json"), "utf8").replace('"H.a"', '"H.other"'),
    ),
  "a damaged registry": () => truncateSync(at(".ccl/aliases.json"), 20),
  "a vocabulary": (_, seed) =>
    writeFileSync(at(".ccl/vocab.json"), JSON.stringify({ export: `e${seed}` })),
  "a damaged base": () => put(".ccl/ctx/base.json", "{}"),
  "another pack": (_, seed) => writeFileSync(at(".ccl/prompt.pack"), `${seed}`),
  "no pack": () => rmSync(at(".ccl/prompt.pack")),
  "a torn record": (_, seed) => {
    const size = lstatSync(at(RECORD_FILE), { throwIfNoEntry: false })?.size;
    if (size !== undefined) truncateSync(at(RECORD_FILE), size - 2 - (seed % (size - 2)));
  },
};

describe("recallPrint", () => {
  it("gives what the command printed, with --show too", async () => {
    const { stdout } = await ccl(pack);
    expect(recall()).toBe(stdout);
    expect(recall([...pack, "--show"])).toBe(stdout);
    expect(recall(["-C", root, ...pack])).toBe(stdout);
    const outside = ["-C", "project", ...pack];
    expect((await ccl(outside, folder)).stdout).toBe(stdout);
    expect(recall(outside, folder)).toBe(stdout);
    expect(await printAnew()).toMatchObject({ code: 0, stdout });
  });

  it.each([
    { name: "another task", args: ["pack", "--task", "Say what b does"] },
    { name: "--show as a value", args: ["pack", "--task", "--show", ...pack.slice(2)] },
    { name: "arguments that end", args: [...pack, "--", "--show"] },
    { name: "JSON", args: [...pack, "--json"] },
    { name: "another command", args: ["diff", ...pack.slice(1)] },
    { name: "another root behind", args: [...pack, "-C", "src"] },
  ])("leaves to the command: $name", async ({ args }) => {
    await ccl(pack);
    expect(recall(args)).toBeUndefined();
  });

  it.each([
    { name: "--show", args: [...pack, "--show"] },
    { name: "--out", args: [...pack, "--out", "p.txt"] },
    { name: "--accept", args: [...pack, "--accept"] },
    { name: "--include", args: [...pack, "--include", "src/**"] },
    { name: "--json", args: [...pack, "--json"] },
    { name: "another root", args: ["-C", "src", ...pack, "-C", ".."] },
  ])("keeps no record of a command with $name", async ({ args }) => {
    expect((await ccl(args)).code).toBe(0);
    expect(lstatSync(at(RECORD_FILE), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("keeps no record where a file is too new for its times to be trusted", async () => {
    vi.useRealTimers();
    put("src/a.ts", textOf(5));
    expect((await ccl(pack)).code).toBe(0);
    expect(lstatSync(at(RECORD_FILE), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("never prints what the command would not print, whatever is edited", async () => {
    const step = fc.record({
      edit: fc.constantFrom(...Object.keys(EDITS)),
      path: fc.constantFrom(...FILES),
      seed: fc.nat({ max: 10_000 }),
    });
    const seen = { same: 0, changed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const start = join(folder, "start");
        if (lstatSync(start, { throwIfNoEntry: false }) === undefined)
          cpSync(root, start, { recursive: true, preserveTimestamps: true });
        for (const path of [root, join(folder, "elsewhere")])
          rmSync(path, { recursive: true, force: true });
        cpSync(start, root, { recursive: true, preserveTimestamps: true });
        for (const { edit, path, seed } of steps) {
          const { stdout } = await ccl(pack);
          passGrain();
          try {
            EDITS[edit]?.(path, seed);
          } catch {
            // An earlier edit took away what this one needs.
          }
          const recalled = recall();
          const anew = await printAnew();
          expect([undefined, anew.stdout]).toContain(recalled);
          seen[anew.stdout === stdout ? "same" : "changed"] += 1;
        }
      }),
      { numRuns: Math.ceil(Math.min(numRuns, 2_000) / 4) },
    );
    expect(Math.min(seen.same, seen.changed)).toBeGreaterThan(0);
  });

  it("has the digest of a file, and of a link none", () => {
    symlinkSync(at("src/a.ts"), at("link"));
    expect(digestOf(at("src/a.ts"))).toMatch(/^[0-9a-f]{64}$/);
    expect([digestOf(at("link")), digestOf(at("none")), digestOf(root)]).toEqual([
      "other",
      "absent",
      expect.stringMatching(/^folder /),
    ]);
  });
});
