import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openAppendLog, type AppendLog } from "./append-log.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-log-"));
  path = join(folder, "log.jsonl");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function linesOf(log: AppendLog): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of log.read()) lines.push(line);
  return lines;
}

describe("openAppendLog", () => {
  it("creates a log, adds lines, and finds them again", async () => {
    const log = await openAppendLog(path);
    await log.append('{"a":1}');
    await log.append(["", "грёза 🙂\r", '{"b":2}']);
    await log.append([]);
    expect(await linesOf(log)).toEqual(['{"a":1}', "", "грёза 🙂\r", '{"b":2}']);
    await log.close();
    const again = await openAppendLog(path);
    expect(again.tornTail).toBeUndefined();
    await again.append("last");
    expect(await linesOf(again)).toEqual(['{"a":1}', "", "грёза 🙂\r", '{"b":2}', "last"]);
    await again.close();
  });

  it.each([
    ["after whole lines", "one\ntwo\n", '{"half":'],
    ["with nothing before it", "", "x"],
    ["longer than a block", "one\n", "x".repeat(200_000)],
    ["in the middle of a character", "one\n", Buffer.from([0xd0])],
  ])("cuts off and reports an unfinished last line %s", async (_name, whole, torn) => {
    await writeFile(path, whole);
    await appendFile(path, torn);
    const log = await openAppendLog(path);
    expect(log.tornTail).toEqual({ bytes: torn.length });
    expect(await readFile(path, "utf8")).toBe(whole);
    await log.append("next");
    await log.close();
    expect(await readFile(path, "utf8")).toBe(`${whole}next\n`);
  });

  it("keeps the order of calls that do not wait for each other", async () => {
    const log = await openAppendLog(path);
    const lines = Array.from({ length: 500 }, (_, index) => String(index));
    await Promise.all(lines.map((line) => log.append(line)));
    expect(await linesOf(log)).toEqual(lines);
    await log.close();
  });

  it("reads what was acknowledged when the reading began, and stops early without harm", async () => {
    const log = await openAppendLog(path);
    await log.append(["a", "b"]);
    const reading = log.read();
    await log.append("c");
    const seen: string[] = [];
    for await (const line of reading) seen.push(line);
    expect(seen).toEqual(["a", "b"]);
    for await (const line of log.read()) {
      expect(line).toBe("a");
      break;
    }
    await log.append("d");
    expect(await linesOf(log)).toEqual(["a", "b", "c", "d"]);
    await log.close();
  });

  it("reads lines longer than a block whole", async () => {
    const log = await openAppendLog(path, { durability: "off" });
    const lines = ["é".repeat(100_000), "x", "🙂".repeat(50_000)];
    await log.append(lines);
    expect(await linesOf(log)).toEqual(lines);
    await log.close();
  });

  it("refuses a line with a line feed, and writes none of that call", async () => {
    const log = await openAppendLog(path);
    await expect(log.append(["good", "b\nad"])).rejects.toMatchObject({ code: "invalid_line" });
    expect(await linesOf(log)).toEqual([]);
    await log.close();
  });

  it("waits for appends under way when it closes, and refuses all use afterwards", async () => {
    const log = await openAppendLog(path, { durability: "normal" });
    const appending = log.append("a");
    await Promise.all([log.close(), log.close(), appending]);
    await expect(log.append("b")).rejects.toMatchObject({ code: "log_closed" });
    expect(() => log.read()).toThrow(/is closed/);
    expect(await readFile(path, "utf8")).toBe("a\n");
  });

  it("leaves out lines whose signal was aborted while they waited", async () => {
    const log = await openAppendLog(path);
    const controller = new AbortController();
    const first = log.append("first");
    const cancelled = log.append("cancelled", { signal: controller.signal });
    const last = log.append("last");
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "aborted" });
    await Promise.all([first, last]);
    expect(await linesOf(log)).toEqual(["first", "last"]);
    await expect(log.append("x", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    await log.close();
    await expect(openAppendLog(path, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("throws a typed error where there is no such folder", async () => {
    await expect(openAppendLog(join(folder, "no/log"))).rejects.toMatchObject({
      code: "read_failed",
      cause: { code: "ENOENT" },
    });
  });

  it("refuses further lines after a write failed", async () => {
    // Every write to this device fails with ENOSPC, where the system has it.
    const log = await openAppendLog("/dev/full", { durability: "off" }).catch(() => undefined);
    if (log === undefined) return;
    await expect(log.append("a")).rejects.toMatchObject({ code: "write_failed" });
    await expect(log.append("b")).rejects.toMatchObject({ code: "write_failed" });
    await log.close();
  });

  it("gives back any lines in any grouping", async () => {
    const line = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\n"));
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(line, { maxLength: 4 }), { maxLength: 8 }),
        async (groups) => {
          const log = await openAppendLog(join(folder, String((count += 1))), {
            durability: "off",
          });
          await Promise.all(groups.map((group) => log.append(group)));
          expect(await linesOf(log)).toEqual(groups.flat());
          await log.close();
        },
      ),
    );
  });
});
