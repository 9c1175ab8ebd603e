import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "vitest";
import { openLoopDisk, type LoopDisk } from "../../../scripts/power-cut/loop-disk.ts";
import { byLength } from "../../../scripts/lengths/test-length.mjs";

const built = new URL("../dist/index.js", import.meta.url);

/** Acknowledged puts that a run must have seen. */
const wantedAcks = byLength({ ci: 1, faults: 500, nightly: 5_000 });

const writer = `
  import { writeSync } from "node:fs";
  const { openSqliteArtifactStore } = await import(process.env.CCL_BUILT);
  const { CCL_PATH: path, CCL_DURABILITY: durability } = process.env;
  const store = await openSqliteArtifactStore({ path, durability });
  for (let round = 0; ; round += 1) {
    const content = Buffer.alloc(1 + ((round * 7919) % (round % 40 === 0 ? 2_000_000 : 20_000)), "#" + round + " ");
    try {
      const { artifactId } = await store.store(content, { source: "tool:test" });
      writeSync(1, artifactId + "\\n");
    } catch {
      process.exit();
    }
  }
`;
// In a process of its own, since one that has opened the file may keep the disk from being unmounted.
const checker = `
  import { readFileSync } from "node:fs";
  const { openSqliteArtifactStore } = await import(process.env.CCL_BUILT);
  const store = await openSqliteArtifactStore({ path: process.env.CCL_PATH });
  let lost = 0;
  for (const id of readFileSync(0, "utf8").split("\\n").filter(Boolean)) {
    if ((await store.retrieve(id).catch(() => undefined)) === undefined) lost += 1;
  }
  const { damaged, missing } = await store.verify();
  await store.close();
  console.log(JSON.stringify({ lost, damaged: damaged.length + missing.length }));
`;

function start(script: string, path: string, durability: string) {
  const env = { ...process.env, CCL_BUILT: built.href, CCL_PATH: path, CCL_DURABILITY: durability };
  return spawn(process.execPath, ["--input-type=module", "-e", script], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
}

async function acknowledgedUntilCut(
  disk: LoopDisk,
  path: string,
  durability: string,
): Promise<string[]> {
  const child = start(writer, path, durability);
  const cutAt = 60 + Math.floor(Math.random() * 200);
  const acknowledged: string[] = [];
  let cutting: Promise<void> | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    // What is said after the cut has begun may be true or not: only what came before was promised.
    if (cutting === undefined) acknowledged.push(line);
    if (acknowledged.length >= cutAt)
      cutting ??= disk.cutPower().finally(() => child.kill("SIGKILL"));
  }
  await cutting;
  return acknowledged;
}

async function check(path: string, ids: string[]): Promise<{ lost: number; damaged: number }> {
  const child = start(checker, path, "full");
  child.stdin.end(ids.join("\n"));
  let said = "";
  for await (const line of createInterface({ input: child.stdout })) said += line;
  const found: unknown = JSON.parse(said);
  const isReport =
    typeof found === "object" && found !== null && "lost" in found && "damaged" in found;
  return isReport
    ? { lost: Number(found.lost), damaged: Number(found.damaged) }
    : { lost: NaN, damaged: NaN };
}

/** Undefined, with the reason on the console, where there can be no disk of its own. */
async function lossAtCuts(durability: "full" | "normal", wanted: number) {
  const disk = await openLoopDisk({ sizeMiB: 512 });
  if ("whyNot" in disk) {
    console.warn(`skipped: no power cut on a disk of its own, ${disk.whyNot}`);
    return undefined;
  }
  const total = { acks: 0, lost: 0, damaged: 0 };
  try {
    // Beside other work the system may write everything in time, so that the control is given some more cuts to lose at.
    const isEnough = (cuts: number): boolean =>
      total.acks >= wanted && (durability === "full" || total.lost > 0 || cuts > 8);
    for (let seed = 1; !isEnough(seed); seed += 1) {
      const path = join(disk.folder, `${seed}.sqlite`);
      const ids = await acknowledgedUntilCut(disk, path, durability);
      await disk.mountAgain();
      const { lost, damaged } = await check(path, ids);
      total.acks += ids.length;
      total.lost += lost;
      total.damaged += damaged;
    }
  } finally {
    await disk.dispose();
  }
  console.warn(
    `power cuts at durability ${durability}: ${total.lost} of ${total.acks} acknowledged lost`,
  );
  return total;
}

describe("a power cut on a file system of its own", () => {
  beforeAll(() => {
    if (!existsSync(built))
      throw new Error("packages/artifact-store-sqlite/dist is missing: run the build first.");
  });

  it("loses nothing that was acknowledged at durability full", async () => {
    expect((await lossAtCuts("full", wantedAcks)) ?? { lost: 0, damaged: 0 }).toMatchObject({
      lost: 0,
      damaged: 0,
    });
  });

  it("loses some at durability normal, but damages nothing, so the check can fail", async () => {
    const total = (await lossAtCuts("normal", Math.min(wantedAcks, 500))) ?? {
      lost: 1,
      damaged: 0,
    };
    expect(total.lost).toBeGreaterThan(0);
    expect(total.damaged).toBe(0);
  });
});
