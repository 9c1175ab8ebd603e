import { mkdtemp, rm } from "node:fs/promises";
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
