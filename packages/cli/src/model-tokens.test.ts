import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { estimatedCounter } from "@ccl/core";
import { recordTo } from "@ccl/inspector";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { type CclRun, runCcl } from "./__fixtures__/run-ccl.ts";

let root: string;
let state: string;
const budget = 2_000;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "ccl-model-tokens-"));
  [root, state] = [join(folder, "project"), join(folder, "state")];
  mkdirSync(root);
  for (let at = 0; at < 40; at += 1) {
    const lines = Array.from({ length: 30 }, (_, line) => `export const name${at}_${line} = 1;\n`);
    writeFileSync(join(root, `part${at}.ts`), lines.join(""));
  }
});
afterEach(() => rmSync(join(root, ".."), { recursive: true, maxRetries: 3 }));

async function ccl(...args: string[]): Promise<CclRun> {
  return await runCcl(args, { cwd: root, env: { CCL_STATE_DIR: state } });
}

const pack = (...args: string[]): Promise<CclRun> =>
  ccl("pack", "--budget", String(budget), "--model-encoding", "estimate", ...args);

/** The tokens of a pack that the encoding counts. */
const encoded = ({ stdout }: CclRun): number => estimatedCounter.count(stdout);

/** A session whose provider has a prompt of its own, and reports `ratio` tokens for each that is counted. */
async function record(folder: string, model: string, ratio: number): Promise<void> {
  const log = recordTo(folder);
  for (const [at, added] of [1_000, 1_500, 2_300, 40].entries()) {
    const counted = [1_000, 1_500, 2_300, 40].slice(0, at + 1);
    log.add({
      id: `${model} ${at}`,
      session: model,
      source: "gateway",
      timeMs: at,
      model,
      // The last result was shortened by nine tenths before it was sent.
      parts: counted.map((tokens) => ({
        kind: "result",
        tokens: tokens * 10,
        sent: { tokens, form: "selection" },
      })),
      reported: {
        total: 5_000 + ratio * counted.reduce((sum, one) => sum + one, 0),
        cached: added,
      },
    });
  }
  expect(await log.close()).toBe(true);
}

describe("ccl pack --model", () => {
  it("counts for models of OpenAI by the encoding alone", async () => {
    const plain = await pack();
    expect(await pack("--model", "openai/gpt-5")).toMatchObject({ stdout: plain.stdout });
    expect(plain.stderr).not.toContain("tokens of");
    expect(encoded(plain)).toBeGreaterThan(budget * 0.8);
  });

  it.each([
    ["claude-sonnet-4-5", 1.2],
    ["anthropic/claude-3-7-sonnet", 1.2],
    ["claude-opus-4-20250514", 1.2],
    ["us.anthropic.claude-opus-4-7-v1:0", 1.56],
    ["claude", 1.56],
    ["gemini-3-pro", 1],
  ])("says that the ratio of %s is assumed to be %d without a report", async (model, ratio) => {
    const run = await pack("--model", model);
    expect(run.stderr).toContain(`ccl: tokens of ${model}: ${ratio.toFixed(2)} x estimate`);
    expect(run.stderr).toContain("assumed, as no prompt of it was recorded");
    expect(encoded(run)).toBeLessThanOrEqual(budget / ratio);
  });

  it("learns from what providers reported here for the model alone, without their own prompts", async () => {
    await record(join(state, "requests"), "claude-sonnet-4-5-20250929", 1.5);
    await record(join(root, ".ccl", "records"), "gemini-3-pro", 1.1);
    const claude = await pack("--model", "anthropic/claude-sonnet-4-5");
    expect(claude.stderr).toContain(": 1.50 x estimated-o200k, learned from 2 recorded prompts");
    expect(encoded(claude)).toBeLessThanOrEqual(budget / 1.5);
    const gemini = await pack("--model", "gemini-3-pro");
    expect(gemini.stderr).toContain(": 1.10 x estimated-o200k, learned from 2 recorded prompts");
    expect((await pack("--model", "claude-opus-4-1")).stderr).toContain(
      "1.20 x estimated-o200k, assumed",
    );
    const { stdout } = await ccl("doctor");
    expect(stdout).toMatch(
      /ok +tokens +--model claude-sonnet-4-5-20250929: 1\.50 x o200k_base, lea/,
    );
    expect(stdout).toMatch(/ok +tokens +--model gemini-3-pro: 1\.10 x o200k_base, learned/);
  });

  it("counts a tab once more for Claude", async () => {
    const tabs = (): void => writeFileSync(join(root, "part0.ts"), "\t\t\t\tcall();\n".repeat(90));
    const args = ["--include", "part0.ts", "--budget", "8k", "--json"] as const;
    tabs();
    const tokensOf = async (model: string): Promise<number> =>
      JSON.parse((await pack(...args, "--model", model)).stdout).tokens;
    expect(await tokensOf("claude-3")).toBeGreaterThan((await tokensOf("gemini")) * 1.2 + 360);
  });
});

it("says in ccl doctor that a ratio is assumed, whatever the model is called", async () => {
  await record(join(state, "requests"), "learned-1", 0);
  expect((await ccl("doctor")).stdout).toMatch(/hint +tokens +--model learned-1: 1\.00 x o200k/);
});

it("says in ccl doctor what a budget for Claude would assume", async () => {
  expect((await ccl("doctor")).stdout).toMatch(/hint +tokens +--model claude: 1\.56 x o200k/);
});
