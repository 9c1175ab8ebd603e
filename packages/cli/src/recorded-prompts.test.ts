import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { fitMessages } from "@ccl/context-compiler";
import type { ChatMessage } from "@ccl/core";
import { recordTo } from "@ccl/inspector";
import { expect, it, onTestFinished } from "vitest";

import { runCcl } from "./__fixtures__/run-ccl.ts";

it("shows what was fitted in a project: what was dropped and why, what stayed, and how full the window is", async () => {
  const root = await mkdtemp(join(tmpdir(), "ccl-recorded-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const record = recordTo(join(root, ".ccl", "records"), { texts: true });
  const options = { budget: 1_000, policy: "balanced" as const, record };
  const messages: ChatMessage[] = [{ role: "user", content: "Which parcel is late?" }];
  let { state } = fitMessages(messages, options);
  for (let at = 0; at < 20; at += 1) {
    messages.push({ role: "assistant", content: `Parcel ${at} is in the depot. `.repeat(9) });
    messages.push({ role: "user", content: `And parcel ${at + 1}?` });
    ({ state } = fitMessages(messages, { ...options, state }));
  }
  expect(await record.close()).toBe(true);

  const view = async (...args: string[]): Promise<unknown> => {
    const { stdout } = await runCcl(["ui", "--json", ...args], { cwd: root });
    return JSON.parse(stdout);
  };
  const text = JSON.stringify(await view("sessions"));
  expect(text).toContain('"source":"fitMessages"');
  expect(text).toContain('"title":"Which parcel is late?"');
  expect(text).toContain('"prompts":21');
  const prompt = JSON.stringify(await view("prompt"));
  expect(prompt).toContain('"budget":1000');
  expect(prompt).toContain('"form":"dropped","why":"budget"');
  expect(prompt).toContain('"form":"added"');
  // Before the first cut nothing was left out.
  expect(JSON.stringify(await view("prompt", "at=1"))).not.toContain('"form"');
});

it("takes two runs of one task for two sessions, though they are under way at once, and a retry for none", async () => {
  const root = await mkdtemp(join(tmpdir(), "ccl-recorded-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const log = recordTo(join(root, ".ccl", "records"), { texts: true });
  let id = 0;
  const send = async (run: string, steps: number, status?: number): Promise<void> => {
    const texts = [
      "Repair the build.",
      ...Array.from({ length: steps }, (_, at) => `${run} ${at}`),
    ];
    const parts = texts.map((text) => ({ kind: "user" as const, tokens: 5, text }));
    id += 1;
    log.add({
      id: `${id}`,
      session: "s",
      source: "gateway",
      timeMs: id * 1_000,
      durationMs: 10,
      status,
      parts,
    });
    await log.close();
  };
  await send("a", 0, 429);
  await send("a", 0, 200);
  await send("a", 1, 200);
  await send("b", 0, 200);
  for (const steps of [1, 2, 3]) for (const run of ["b", "a"]) await send(run, steps + 1, 200);
  await send("b", 5);
  const { stdout } = await runCcl(["ui", "--json", "sessions"], { cwd: root });
  const { sessions } = JSON.parse(stdout);
  expect(sessions).toMatchObject([
    { id: "s.2", prompts: 5, failed: 1, durationMs: 7_000 },
    { id: "s", prompts: 6, failed: 1, durationMs: 9_000 },
  ]);
  const shown = await runCcl(["ui", "--json", "prompt", "session=s.2", "at=1"], { cwd: root });
  expect(shown.stdout).toContain('"b 0"');
  expect(shown.stdout).not.toContain('"a 0"');
  const args = ["ui", "--export", "page.html", "session=s.2", "at=1"];
  const { stdout: said } = await runCcl(args, { cwd: root });
  expect(said).toBe("wrote page.html\n");
  const html = await readFile(join(root, "page.html"), "utf8");
  expect(html).toContain('"text":"b 0"');
  expect(html).not.toContain('"text":"a 0"');
  const failed = await runCcl(["ui", "--export", "other.html", "session=none"], { cwd: root });
  expect(failed.stderr).toContain('Unknown session "none"');
});
