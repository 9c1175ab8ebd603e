import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { kills } from "../../../../scripts/lengths/test-length.mjs";

const built = new URL("../../dist/node/index.js", import.meta.url);

// Child processes print each acknowledged write as a line on stdout.
const header = `
  import { createHash } from "node:crypto";
  import { openSync, writeSync } from "node:fs";
  const { writeFileDurable } = await import(process.env.CCL_BUILT);
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
// The failure that durable writes must prevent: a write in place that is interrupted halfway.
const tornWriter = `${header}
  const file = openSync(path, "w");
  writeSync(file, contentOf(1).slice(0, 100_000));
  say("1");
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

/**
 * Runs a child process, kills it at its `killAt`-th acknowledgement, and returns the output that
 * arrived.
 */
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

/** The number in a file of `contentOf`. Undefined if the file is torn. */
function numberIn(content: string): number | undefined {
  const [hash, body] = [content.slice(0, 64), content.slice(64)];
  if (createHash("sha256").update(body).digest("hex") !== hash) return undefined;
  const parsed: unknown = JSON.parse(body);
  return typeof parsed === "object" && parsed !== null && "number" in parsed
    ? Number(parsed.number)
    : undefined;
}

/** A moment that differs between kills and between runs. */
const someMoment = (): number => 1 + Math.floor(Math.random() * 25);

describe("a killed process", () => {
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

  it("leaves a torn file without durable writes, so the check can fail", async () => {
    await acknowledgedUntilKilled(tornWriter, 1, 0);
    expect(numberIn(await readFile(path, "utf8"))).toBeUndefined();
  });
});
