import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { estimatedCounter } from "@ccl/core";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { takeSnapshot } from "../delta/take-snapshot.ts";
import type { AliasRegistry } from "../registry/alias-registry.ts";
import { openAliasRegistry } from "../registry/open-alias-registry.ts";
import { buildPack } from "./build-pack.ts";
import type { CounterSource, Pack, PackOptions } from "./pack.ts";

let root = "";
const opened: AliasRegistry[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "ccl-kept-"));
});
afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close();
  rmSync(root, { recursive: true });
});

const FILES = {
  "src/read.ts":
    "/** Reads a record. */\nexport function readRecord(key: string): string {\n  return key;\n}\n",
  "src/write.ts":
    'import { readRecord } from "./read.js";\nexport const writeRecord = (key: string) => readRecord(key);\n',
  "docs/guide.md": "# Records\n\nHow records are read.\n",
  "src/empty.ts": "",
};

function write(files: Record<string, string>, { isNew = false } = {}): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (!isNew) utimesSync(file, 1, 1);
  }
}

async function open({ persist = true } = {}): Promise<AliasRegistry> {
  const registry = await openAliasRegistry({ root, persist });
  opened.push(registry);
  return registry;
}

/** A counter source that knows how often it was opened. */
function watchedCounter(name = "letters"): CounterSource & { opens: number } {
  const source = {
    name,
    isExact: true,
    opens: 0,
    open: async () => {
      source.opens += 1;
      return { name, isExact: true, count: (text: string) => Math.ceil(text.length / 3) };
    },
  };
  return source;
}

async function pack(
  options: Partial<PackOptions> = {},
  persist = true,
): Promise<{ pack: Pack; opens: number }> {
  const counter = watchedCounter();
  const registry = await open({ persist });
  return {
    pack: await buildPack({ registry, task: "Read records", budget: 300, counter, ...options }),
    opens: counter.opens,
  };
}

describe("kept packs", () => {
  beforeEach(async () => {
    write(FILES);
    await (await open()).scan();
  });

  it("gives the pack of the same tree and options without counting", async () => {
    const first = await pack();
    const second = await pack();
    expect(first.opens).toBe(1);
    expect(second).toEqual({ pack: first.pack, opens: 0 });
    expect(second.pack.omitted).toContainEqual({
      alias: "H.empty",
      path: "src/empty.ts",
      reason: "empty",
    });
  });

  it("reads what was kept, and keeps nothing, where the registry does not write", async () => {
    expect((await pack({}, false)).opens).toBe(1);
    expect((await pack({}, false)).opens).toBe(1);
    const kept = await pack();
    expect(await pack({}, false)).toEqual({ pack: kept.pack, opens: 0 });
  });

  it.each<[what: string, options: Partial<PackOptions>]>([
    ["task", { task: "Write records" }],
    ["budget", { budget: 299 }],
    ["caps", { caps: { H: 40 } }],
    ["focus", { focus: ["H.write"] }],
    ["profile", { profile: "D.guide" }],
    ["vocabulary", { vocabulary: { readRecord: "rr" } }],
    ["version", { version: { accepted: 1, deltas: 0, repairs: 0 } }],
    ["counter", { counter: watchedCounter("other") }],
  ])("makes another pack for another %s", async (_, options) => {
    await pack();
    const counter = watchedCounter(options.counter?.name);
    await buildPack({
      registry: await open(),
      task: "Read records",
      budget: 300,
      ...options,
      counter,
    });
    expect(counter.opens).toBe(1);
  });

  it("makes another pack for another base", async () => {
    const base = await takeSnapshot({ registry: await open() });
    await pack();
    expect((await pack({ base })).opens).toBe(1);
    expect((await pack({ base })).opens).toBe(0);
    expect((await pack({ base: { ...base, id: "ctx@00000000" } })).opens).toBe(1);
  });

  it("is not used for a counter whose name nobody vouches for", async () => {
    let counted = 0;
    const counter = {
      name: "letters",
      isExact: true,
      count: (text: string) => ((counted += 1), text.length),
    };
    await pack();
    const { pack: counts } = await pack({ counter });
    expect(counted).toBeGreaterThan(0);
    expect(counts.tokens).toBe(counts.text.length);
  });

  it("sees an edit of the same size that put the time of the last change back", async () => {
    await pack();
    write({ "src/read.ts": FILES["src/read.ts"].replaceAll("key", "sum") });
    const edited = await pack({ budget: 1000 });
    expect(edited.opens).toBe(1);
    expect(edited.pack.text).toContain("readRecord(sum: string)");
  });

  it("sees every edit of the same size, however quick", async () => {
    for (let edit = 0; edit < 30; edit += 1) {
      const name = `name${String(edit).padStart(3, "0")}`;
      write({ "src/read.ts": `export const ${name} = 1;\n` }, { isNew: true });
      expect((await pack()).pack.text).toContain(name);
    }
  });

  it("keeps nothing of a pack during which a file changed", async () => {
    const registry = await open();
    const changing: AliasRegistry = Object.create(registry, {
      stat: { value: () => registry.stat() },
      cache: { value: registry.cache },
      isPersistent: { value: true },
      resolve: {
        value: (alias: string) => {
          write({ "src/read.ts": "export const meanwhile = 1;\n" });
          return registry.resolve(alias);
        },
      },
    });
    const meanwhile = await pack({ registry: changing });
    expect(meanwhile.pack.text).toContain("meanwhile");
    await registry.close();
    write(FILES);
    const after = await pack();
    expect(after.opens).toBe(1);
    expect(after.pack.text).not.toContain("meanwhile");
  });

  it("makes the same pack again when the kept one is damaged", async () => {
    const file = join(root, ".ccl/cache/derived-pack.cache");
    const { pack: first } = await pack();
    const intact = readFileSync(file);
    for (const position of [0, 50, 100, 145, 300, intact.length - 2]) {
      const damaged = Buffer.from(intact);
      damaged[position] = (damaged[position] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      expect(await pack()).toEqual({ pack: first, opens: 1 });
      expect(await pack()).toEqual({ pack: first, opens: 0 });
    }
  });

  it("is what would be made anew, whatever the files and options", async () => {
    const path = fc.constantFrom(
      "src/a.ts",
      "src/b.py",
      "notes.md",
      "conf.json",
      "x/y.yaml",
      "ADR-1.md",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.constantFrom(
        "export const one = 1;\n",
        "# Title\n\n## Goal\nShort\n",
        '{"a": [1, 2]}\n',
        "a: 1\nb: [x]\n",
        "",
      ),
    );
    const shape = fc.record({
      task: fc.string({ unit: "binary", maxLength: 20 }),
      budget: fc.integer({ min: 60, max: 500 }),
      vocabulary: fc.constantFrom({}, { Title: "T" }),
    });
    const counter = {
      name: "estimate",
      isExact: estimatedCounter.isExact,
      open: async () => estimatedCounter,
    };
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(path, text, { noNullPrototype: true }),
        shape,
        async (files, options) => {
          write({ ...FILES, ...files });
          await (await open()).scan();
          const cold = await buildPack({
            registry: await open({ persist: false }),
            ...options,
            counter: estimatedCounter,
          });
          const kept = await buildPack({ registry: await open(), ...options, counter });
          const warm = await buildPack({ registry: await open(), ...options, counter });
          expect(kept).toEqual(cold);
          expect(warm).toEqual(cold);
        },
      ),
      { numRuns: Math.ceil((fc.readConfigureGlobal().numRuns ?? 100) / 10) },
    );
  });
});
