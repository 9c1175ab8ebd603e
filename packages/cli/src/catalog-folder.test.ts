import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { sha256Hex } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type CatalogProject, createCatalogProject } from "./__fixtures__/catalog-project.ts";

let project: CatalogProject;

beforeEach(async () => {
  project = await createCatalogProject();
});
afterEach(async () => {
  await project.remove();
});

const folder = (): string => join(project.root, ".ccl", "catalog");
const journal = (): string => join(folder(), ".changes.json");
const details = (name: string): string => join(folder(), "details", `bus%3A${name}.json`);

/** Resources of one generation, told by their descriptions. */
async function importGeneration(generation: string, count = 5): Promise<number> {
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      id: `bus:r${at}`,
      kind: "bus",
      title: `Resource ${at}`,
      description: `Of ${generation}.`,
    }),
  );
  await writeFile(join(project.root, "own.jsonl"), lines.map((line) => `${line}\n`).join(""));
  return (await project.ccl(["catalog", "import", "--jsonl", "own.jsonl"])).code;
}

/** Texts of the overview and the details, by path. */
async function readFiles(): Promise<Map<string, string>> {
  const names = ["overview.jsonl"];
  for (const name of await readdir(join(folder(), "details"))) names.push(`details/${name}`);
  const texts = names.map(
    async (name) => [name, await readFile(join(folder(), name), "utf8")] as const,
  );
  return new Map(await Promise.all(texts));
}

/** The journal of an import that brought the folder from `before` to its present state. */
async function journalSince(before: ReadonlyMap<string, string>): Promise<string> {
  const after = await readFiles();
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  const changes = Object.fromEntries(paths.map((path) => [path, after.get(path) ?? null]));
  const hashes = paths.map((path) => [path, [before.get(path) ?? []].flat().map(sha256Hex)]);
  const body = JSON.stringify({ changes, before: Object.fromEntries(hashes) });
  return `${sha256Hex(body)}\n${body}`;
}

async function shown(name: string): Promise<unknown> {
  const { document } = await project.json(["catalog", "show", `bus:${name}`]);
  return document;
}

async function found(text: string): Promise<string[]> {
  const { document } = await project.json(["catalog", "search", text]);
  const hits: unknown =
    typeof document === "object" && document !== null ? Reflect.get(document, "hits") : [];
  return (Array.isArray(hits) ? hits : []).map((hit: { id: string }) => hit.id).sort();
}

describe("what stands in the cache of a catalog's folder", () => {
  it("follows every edit by hand: a card changed, added, taken away, and the list of all", async () => {
    await importGeneration("autumn");
    expect(await found("autumn")).toHaveLength(5);
    const card = await readFile(details("r1"), "utf8");
    await writeFile(details("r1"), card.replace("autumn", "zeppelin"));
    expect(await found("zeppelin")).toEqual(["bus:r1"]);
    expect(await found("autumn")).toHaveLength(4);
    await rm(details("r2"));
    expect(await shown("r2")).toMatchObject({ details: { id: "bus:r2", title: "Resource 2" } });
    expect(await found("autumn")).toHaveLength(3);
    const overview = join(folder(), "overview.jsonl");
    const lines = (await readFile(overview, "utf8")).split("\n");
    await writeFile(overview, lines.filter((line) => !line.includes("bus:r3")).join("\n"));
    expect((await project.json(["catalog", "search", "autumn"])).document).toMatchObject({
      error: { code: "damaged", message: expect.stringContaining("details/bus%3Ar3.json") },
    });
    await rm(details("r3"));
    expect(await found("autumn")).toEqual(["bus:r0", "bus:r4"]);
    await writeFile(details("r4"), "no JSON");
    expect(await project.json(["catalog", "search", "x"])).toMatchObject({ code: 2 });
  });

  it.each(["records.json", "index.bin"])(
    "is made anew when %s is damaged, cut off or gone",
    async (name) => {
      await importGeneration("autumn");
      const file = join(folder(), ".cache", name);
      const whole = await readFile(file);
      const changed = Uint8Array.from(whole, (byte, at) =>
        at === whole.length >> 1 ? byte ^ 1 : byte,
      );
      for (const bytes of [changed, whole.subarray(0, whole.length - 9), new Uint8Array(0)]) {
        await writeFile(file, bytes);
        expect(await found("autumn")).toHaveLength(5);
        expect(await readFile(file)).not.toEqual(Buffer.from(bytes));
      }
      await rm(join(folder(), ".cache"), { recursive: true });
      expect(await found("autumn")).toHaveLength(5);
    },
  );

  it("is seen by no version control", async () => {
    await importGeneration("autumn");
    expect(await readFile(join(folder(), ".cache", ".gitignore"), "utf8")).toBe("*\n");
    expect((await readdir(folder())).sort()).toEqual([
      ".cache",
      "details",
      "imported",
      "overview.jsonl",
      "sources.json",
    ]);
  });
});

describe("an import that was cut short", () => {
  it("is finished by the next command when its process was killed, and leaves alone what a person wrote since", async () => {
    await importGeneration("autumn");
    const before = await readFiles();
    const old = await readFile(details("r0"), "utf8");
    await importGeneration("winter");
    // As if it had been killed after its first files: one is old, one torn, one gone, one edited by hand.
    await writeFile(journal(), await journalSince(before));
    await writeFile(details("r0"), old);
    await writeFile(details("r1"), (await readFile(details("r1"), "utf8")).slice(0, 20));
    await rm(details("r2"));
    await writeFile(
      details("r3"),
      (await readFile(details("r3"), "utf8")).replace("winter", "a person"),
    );
    expect(await shown("r0")).toMatchObject({ details: { description: "Of winter." } });
    expect(await shown("r1")).toMatchObject({ details: { description: "Of winter." } });
    expect(await shown("r2")).toMatchObject({ details: { description: "Of winter." } });
    expect(await shown("r3")).toMatchObject({ details: { description: "Of a person." } });
    expect(await readdir(folder())).not.toContain(".changes.json");
  });

  it("is forgotten where it was not written down as a whole", async () => {
    await importGeneration("autumn");
    await writeFile(journal(), (await journalSince(new Map())).slice(0, -9));
    await rm(details("r0"));
    expect(await shown("r0")).not.toMatchObject({ details: { description: "Of autumn." } });
    expect(await readdir(folder())).not.toContain(".changes.json");
  });

  it("is completed after a power cut", async () => {
    await importGeneration("autumn");
    const before = await readFiles();
    const autumn = await readFile(details("r2"), "utf8");
    const removed = await readFile(details("r4"), "utf8");
    await importGeneration("winter", 4);
    await writeFile(journal(), await journalSince(before));
    await writeFile(details("r0"), "");
    await writeFile(details("r1"), "\0".repeat(300));
    await writeFile(details("r2"), autumn);
    await rm(join(folder(), "overview.jsonl"));
    await writeFile(details("r4"), removed);
    for (const name of ["r0", "r1", "r2", "r3"]) {
      expect(await shown(name)).toMatchObject({ details: { description: "Of winter." } });
    }
    expect(await found("winter")).toHaveLength(4);
    await expect(readFile(journal())).rejects.toThrow("ENOENT");
  });
});
