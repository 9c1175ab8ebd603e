import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";

import { runCcl } from "./__fixtures__/run-ccl.ts";
import { kills } from "../../../scripts/lengths/test-length.mjs";

const built = fileURLToPath(new URL("../dist/ccl.js", import.meta.url));
const count = 300;
const generations = ["autumn", "winter", "spring", "summer"];

/** What the journal is about: cards written one after the other, without one. */
const careless = `
  import { readFileSync, writeFileSync } from "node:fs";
  const [folder, before, after, count] = process.argv.slice(1);
  for (let at = 0; at < Number(count); at += 1) {
    const path = folder + "/details/bus%3Ar" + at + ".json";
    writeFileSync(path, readFileSync(path, "utf8").replace(before, after));
    if (at === count >> 1) setInterval(() => undefined, 1_000);
    if (at === count >> 1) break;
  }
`;

let root = "";
beforeAll(() => {
  if (!existsSync(built)) throw new Error("packages/cli/dist is missing: run the build first.");
});
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-kill-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const folder = (): string => join(root, ".ccl", "catalog");
const details = (at: number): string => join(folder(), "details", `bus%3Ar${at}.json`);

async function offer(generation: string): Promise<void> {
  const lines = Array.from({ length: count }, (_, at) =>
    JSON.stringify({
      id: `bus:r${at}`,
      kind: "bus",
      title: `Resource ${at}`,
      description: `Of ${generation}.`,
    }),
  );
  await writeFile(join(root, "own.jsonl"), `${lines.join("\n")}\n`);
}

/** Which generations a reader finds, each with how many resources. */
async function readGenerations(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const generation of generations) {
    const { code, stdout } = await runCcl(
      ["catalog", "search", generation, "--limit", "1000", "--json"],
      {
        cwd: root,
      },
    );
    expect(code).toBe(0);
    const { hits }: { hits: unknown[] } = JSON.parse(stdout);
    if (hits.length > 0) found[generation] = hits.length;
  }
  return found;
}

/** Kills a child as soon as something is so, or lets it end. */
async function killWhen(child: ChildProcess, isSo: () => boolean): Promise<void> {
  const ended = once(child, "close");
  while (child.exitCode === null && !isSo()) await new Promise((resolve) => setImmediate(resolve));
  child.kill("SIGKILL");
  await ended;
}

function holds(at: number, generation: string): boolean {
  try {
    return readFileSync(details(at), "utf8").includes(generation);
  } catch {
    return false;
  }
}

it(
  "reads the catalog as it was or as it is to be, wherever an import is killed",
  async () => {
    await offer("autumn");
    await runCcl(["catalog", "import", "--jsonl", "own.jsonl"], { cwd: root });
    let unfinished = 0;
    for (let round = 0; round < kills; round += 1) {
      const [before = "", after = ""] = [generations[round % 4], generations[(round + 1) % 4]];
      await offer(after);
      const child = spawn(process.execPath, [built, "catalog", "import"], {
        cwd: root,
        stdio: "ignore",
      });
      const card = Math.floor((count * (round % 7)) / 7);
      await killWhen(child, () => holds(card, after));
      const isUnfinished = existsSync(join(folder(), ".changes.json"));
      if (isUnfinished) unfinished += 1;
      // What was written down is what will be; before that nothing has changed.
      const found = await readGenerations();
      expect([...(isUnfinished ? [] : [{ [before]: count }]), { [after]: count }]).toContainEqual(
        found,
      );
      expect(await runCcl(["catalog", "import"], { cwd: root })).toMatchObject({ code: 0 });
      expect(await readGenerations()).toEqual({ [after]: count });
    }
    expect(unfinished).toBeGreaterThan(0);
  },
  30_000 + kills * 20_000,
);

it("would read halves of two imports were they not written down first", async () => {
  await offer("autumn");
  await runCcl(["catalog", "import", "--jsonl", "own.jsonl"], { cwd: root });
  const args = ["--input-type=module", "-e", careless, folder(), "autumn", "winter", String(count)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  await killWhen(child, () => holds(count >> 1, "winter"));
  const half = (count >> 1) + 1;
  expect(await readGenerations()).toEqual({ autumn: count - half, winter: half });
}, 30_000);
