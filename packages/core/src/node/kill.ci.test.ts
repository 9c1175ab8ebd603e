import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openAppendLog } from "./append-log.ts";
import { kills } from "../../../../scripts/lengths/test-length.mjs";

const built = new URL("../../dist/node/index.js", import.meta.url);

// Both children say on stdout, line by line, what was acknowledged to them.
const header = `
  import { createHash } from "node:crypto";
  import { openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
  const { openAppendLog, writeFileDurable } = await import(process.env.CCL_BUILT);
  const path = process.env.CCL_PATH;
  const say = (line) => writeSync(1, line + "\\n");
  const contentOf = (number) => {
    const body = JSON.stringify({ number, filler: String(number).repeat(200_000).slice(0, 200_000) });
    return createHash("sha256").update(body).digest("hex") + body;
  };
`;
const durableWriter = `${header}
  for (let number = Number(process.env.CCL_FROM); ; number += 1) {
    await writeFileDurable(path, contentOf(number));
    say(String(number));
  }
`;
const durableLogger = `${header}
  const log = await openAppendLog(path);
  let number = Number(process.env.CCL_FROM);
  for (;;) {
    await Promise.all(Array.from({ length: 5 }, async () => {
      const own = number++;
      await log.append(contentOf(own).slice(0, 3_000) + "#" + own);
      say(String(own));
    }));
  }
`;
// What the promises are about: a write in place that is caught half-way, and a log that acknowledges before it writes.
const tornWriter = `${header}
  const file = openSync(path, "w");
  writeSync(file, contentOf(1).slice(0, 100_000));
  say("1");
  setInterval(() => undefined, 1_000);
`;
const forgetfulLogger = `${header}
  writeFileSync(path, "");
  for (const number of [0, 1, 2]) say(String(number));
  setInterval(() => undefined, 1_000);
`;

let folder = "";
let path = "";
beforeAll(() => {
  if (!existsSync(built)) throw new Error("packages/core/dist is missing: run the build first.");
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-kill-"));
  path = join(folder, "file");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs a child, kills it at its `killAt`-th acknowledgement, and gives all that reached us. */
async function acknowledgedUntilKilled(
  script: string,
  killAt: number,
  from: number,
): Promise<number[]> {
  const env = { ...process.env, CCL_BUILT: built.href, CCL_PATH: path, CCL_FROM: String(from) };
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const seen: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    seen.push(Number(line));
    if (seen.length === killAt) child.kill("SIGKILL");
  }
  return seen;
}

/** The number in a file of `contentOf`; undefined when the file is torn. */
function numberIn(content: string): number | undefined {
  const [hash, body] = [content.slice(0, 64), content.slice(64)];
  if (createHash("sha256").update(body).digest("hex") !== hash) return undefined;
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === "object" && parsed !== null && "number" in parsed
    ? Number(parsed.number)
    : undefined;
}

async function loggedNumbers(): Promise<number[]> {
  const log = await openAppendLog(path);
  const numbers: number[] = [];
  for await (const line of log.read()) {
    expect(line).toMatch(/^[0-9a-f]{64}\{"number":\d+,.*#\d+$/);
    numbers.push(Number(line.slice(line.lastIndexOf("#") + 1)));
  }
  await log.close();
  return numbers;
}

/** A moment that differs from kill to kill, and from run to run. */
const someMoment = (): number => 1 + Math.floor(Math.random() * 25);

describe("a process that is killed", () => {
  it(`finds its file whole and not older than acknowledged, ${kills} times`, async () => {
    let from = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const seen = await acknowledgedUntilKilled(durableWriter, someMoment(), from);
      const number = numberIn(await readFile(path, "utf8"));
      expect(number).toBeGreaterThanOrEqual(seen.at(-1) ?? Number.NaN);
      from = (number ?? 0) + 1;
    }
    const left = (await readdir(folder)).filter((name) => name !== "file");
    expect(left.every((name) => /^\.ccl-[0-9a-f]{16}\.tmp$/.test(name))).toBe(true);
  });

  it(`finds every acknowledged line of its log, in order and whole, ${kills} times`, async () => {
    let from = 0;
    const acknowledged: number[] = [];
    for (let kill = 0; kill < kills; kill += 1) {
      acknowledged.push(...(await acknowledgedUntilKilled(durableLogger, someMoment(), from)));
      const logged = await loggedNumbers();
      expect(logged).toEqual(expect.arrayContaining(acknowledged));
      expect(logged).toEqual([...logged].sort((a, b) => a - b));
      from = (logged.at(-1) ?? -1) + 1;
    }
  });

  it("would be caught with a torn file, so the check can fail", async () => {
    await acknowledgedUntilKilled(tornWriter, 1, 0);
    expect(numberIn(await readFile(path, "utf8"))).toBeUndefined();
  });

  it("would be caught with lines that were acknowledged and not written, so the check can fail", async () => {
    const acknowledged = await acknowledgedUntilKilled(forgetfulLogger, 3, 0);
    expect(await loggedNumbers()).not.toEqual(expect.arrayContaining(acknowledged));
  });

  it("would leave a torn line behind without the repair on opening", async () => {
    await writeFile(path, "whole\nto");
    expect((await readFile(path, "utf8")).split("\n").at(-1)).toBe("to");
    const log = await openAppendLog(path);
    expect(log.tornTail).toEqual({ bytes: 2 });
    await log.close();
    expect(await readFile(path, "utf8")).toBe("whole\n");
  });
});
