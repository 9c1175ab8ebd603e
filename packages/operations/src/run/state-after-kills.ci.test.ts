import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";

import { byLength } from "../../../../scripts/lengths/test-length.mjs";
import { followScript, type ScriptWorld, scripts } from "../../test-support/follow-script.ts";
import type { ChangedChat } from "../../test-support/state-world.mjs";

interface Call {
  name: string;
  parameter: unknown;
  killAt?: number | undefined;
}

interface Answer {
  value?: unknown;
  /** What it threw. */
  code?: string;
}

/** A chat in a file, served by one process after the other. */
interface KilledWorld extends ScriptWorld {
  /** At which point of each call its worker kills itself; undefined never. */
  killAt: () => number | undefined;
  /** Whether what a worker was killed in is asked of the next. */
  repeats: boolean;
  kills: number;
  close(): Promise<void>;
}

/** What a repeated call says that a killed worker had carried out. */
const doneBefore = new Set(["unknown_turn", "conflict"]);

function openWorld(file: string): KilledWorld {
  let worker = startWorker(file);
  const prompts: string[][] = [];
  const call = async (name: string, parameter: unknown): Promise<unknown> => {
    let answer = await worker.ask({ name, parameter, killAt: world.killAt() }, prompts);
    const isAgain = answer === undefined;
    if (isAgain) {
      world.kills += 1;
      worker = startWorker(file);
      answer = world.repeats ? await worker.ask({ name, parameter }, prompts) : {};
    }
    const { value, code } = answer ?? { code: "killed" };
    if (code !== undefined && !(isAgain && doneBefore.has(code))) throw new Error(code);
    return value;
  };
  // The values went through JSON, as those of any server.
  const calls: unknown = new Proxy(
    {},
    { get: (_, name) => (parameter: unknown) => call(String(name), parameter) },
  );
  const chat = calls as ChangedChat;
  const { say } = calls as Pick<ScriptWorld, "say">;
  const world: KilledWorld = {
    chat,
    say,
    prompts,
    killAt: () => undefined,
    repeats: true,
    kills: 0,
    close: () => worker.end(),
  };
  return world;
}

function startWorker(file: string): {
  /** Undefined where the worker was killed. */
  ask(call: Call, prompts: string[][]): Promise<Answer | undefined>;
  end(): Promise<void>;
} {
  const script = new URL("../../test-support/state-worker.mjs", import.meta.url);
  const child = spawn(process.execPath, [script.pathname], {
    env: { ...process.env, CCL_STATE_FILE: file },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const gone = once(child, "close");
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(call, prompts) {
      child.stdin.write(`${JSON.stringify(call)}\n`);
      for (;;) {
        const line = await lines.next();
        if (line.done === true) return undefined;
        const { prompt, ...answer } = JSON.parse(line.value);
        if (prompt === undefined) return answer;
        prompts.push(prompt);
      }
    },
    async end() {
      child.stdin.end();
      await gone;
    },
  };
}

let folder = "";
let world: KilledWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-operations-"));
  world = openWorld(join(folder, "chat.db"));
});
afterEach(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

// Each kill starts a process. A point beyond the last of a call kills nothing.
const numRuns = byLength({ ci: 10, faults: 1_000 });
const points = fc.infiniteStream(fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(12)));

function property(count: (prompts: number) => void): fc.IAsyncProperty<unknown> {
  let chats = 0;
  return fc.asyncProperty(scripts, points, async (script, stream) => {
    chats += 1;
    world.killAt = () => {
      const { value } = stream.next();
      return value > 0 ? value - 1 : undefined;
    };
    const { found, wanted } = await followScript(world, `chat ${chats}`, script);
    expect(found).toEqual(wanted);
    count(found.length);
  });
}

it(
  "is that of the path which the chat shows, whatever its workers were killed in",
  async () => {
    let prompts = 0;
    const followed = property((count) => (prompts += count));
    await fc.assert(followed, { numRuns, endOnFailure: true });
    expect(prompts).toBeGreaterThan(numRuns);
    expect(world.kills).toBeGreaterThan(numRuns / 2);
  },
  60_000 + numRuns * 5_000,
);

it("is seen to be another where nothing repeats what a worker was killed in", async () => {
  world.repeats = false;
  const { failed } = await fc.check(
    property(() => {}),
    { numRuns: 100, endOnFailure: true },
  );
  expect(failed).toBe(true);
}, 60_000);
