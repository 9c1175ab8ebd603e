import { describe, expect, it } from "vitest";
import {
  ownProcessIdentity,
  parseStartTime,
  processState,
  type ProcessFacts,
  type ProcessIdentity,
} from "./process-identity.ts";

const linux: ProcessIdentity = {
  host: "one",
  boot: "b1",
  space: "pid:[1]",
  pid: 41,
  started: 1_000,
};
const mac: ProcessIdentity = { ...linux, boot: "", space: "", started: 1_700_000_000_000 };

function factsOf(own: ProcessIdentity, change: Partial<ProcessFacts> = {}): ProcessFacts {
  return {
    own: async () => own,
    exists: (pid) => pid === 7,
    ticksAtStart: async () => linux.started,
    // The system's own record is a little older, and in whole seconds.
    startTimeMs: async () => mac.started - 1_500,
    ...change,
  };
}

type Row = [
  name: string,
  other: Partial<ProcessIdentity>,
  facts: Partial<ProcessFacts>,
  state: string,
];

describe("processState", () => {
  it.each<Row>([
    ["is running", {}, {}, "alive"],
    ["has ended", {}, { exists: () => false }, "dead"],
    [
      "ended, and whose number another process has",
      {},
      { ticksAtStart: async () => 2_000 },
      "dead",
    ],
    [
      "ended, but whose parent has not read its exit code",
      {},
      { ticksAtStart: async () => "ended" },
      "dead",
    ],
    ["has no start time", {}, { ticksAtStart: async () => undefined }, "alive"],
    ["ran before the last boot", { boot: "b2" }, {}, "dead"],
    ["runs on another machine", { host: "two" }, { exists: () => false }, "unknown"],
    ["runs in another container", { space: "pid:[2]" }, { exists: () => false }, "unknown"],
    ["did not know its boot", { boot: "", space: "" }, { exists: () => false }, "unknown"],
  ])("on Linux, of a process that %s", async (_name, other, facts, state) => {
    expect(await processState({ ...linux, pid: 7, ...other }, factsOf(linux, facts))).toBe(state);
  });

  it.each<Row>([
    ["is running", {}, {}, "alive"],
    ["has ended", {}, { exists: () => false }, "dead"],
    ["ended long before", { started: mac.started - 60_000 }, {}, "dead"],
    ["has no start time", { started: 0 }, { startTimeMs: async () => undefined }, "alive"],
    ["runs on another machine", { host: "two" }, { exists: () => false }, "unknown"],
  ])("elsewhere, of a process that %s", async (_name, other, facts, state) => {
    expect(await processState({ ...mac, pid: 7, ...other }, factsOf(mac, facts))).toBe(state);
  });

  it("reports this process as alive, and an earlier one with its number as dead", async () => {
    const own = await ownProcessIdentity();
    expect(await processState(own)).toBe("alive");
    expect(await processState({ ...own, started: own.started - 100_000 })).toBe("dead");
  });
});

describe("parseStartTime", () => {
  it("parses the output of ps and PowerShell", () => {
    const expected = Date.UTC(2026, 10, 3, 21, 0, 55);
    expect(parseStartTime("Tue Nov  3 21:00:55 2026\n", false)).toBe(expected);
    expect(parseStartTime("2026-11-03T21:00:55.1234567Z\r\n", true)).toBe(expected + 123);
    expect(parseStartTime("", false)).toBeUndefined();
    expect(parseStartTime("?", true)).toBeUndefined();
  });
});
