import { createMemoryRecords, type Records } from "@ccl/records";
import { expect, it, vi } from "vitest";

import {
  decidedSessions,
  forgetDecisions,
  keepDecisions,
  readDecisions,
} from "./kept-decisions.ts";

const decision = (at: string) => ({ at, credit: 0, edits: [] });

it("removes sessions, except those that resumed in the meantime", async () => {
  vi.useFakeTimers({ now: new Date("2026-01-01"), toFake: ["Date"] });
  try {
    const inner = createMemoryRecords();
    for (const session of ["ended", "back", "late"])
      await keepDecisions(inner, session, [decision("1")]);
    const since = Date.parse("2026-02-01");
    vi.setSystemTime("2026-03-01");
    await keepDecisions(inner, "live", [decision("1")]);
    const sessions = [...(await decidedSessions(inner))];
    const ended = sessions.filter(([, last]) => last < since).map(([session]) => session);
    expect(ended).toEqual(["back", "ended", "late"]);
    expect(Math.max(...sessions.map(([, last]) => last))).toBe(Date.parse("2026-03-01"));
    await keepDecisions(inner, "back", [decision("2")]);
    // One session resumes between the check and its removal.
    const write: Records["write"] = async (changes, options) => {
      if (JSON.stringify(changes).includes("late"))
        await keepDecisions(inner, "late", [decision("2")]);
      return inner.write(changes, options);
    };
    await forgetDecisions({ ...inner, write }, ended, since);
    expect([...(await decidedSessions(inner)).keys()]).toEqual(["back", "late", "live"]);
    for (const session of ["back", "late"])
      expect((await readDecisions(inner, session)).map(({ at }) => at)).toEqual(["1", "2"]);
    expect(await readDecisions(inner, "ended")).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

it("skips entries that are not decisions, and reads more than one page", async () => {
  const records = createMemoryRecords();
  const broken = [1, null, [], { ...decision("a"), at: 1 }, { ...decision("a"), credit: "1" }];
  const many = Array.from({ length: 10_001 }, (_, at) => decision(String(at)));
  const append = "gateway/decisions/s";
  await records.write([{ append, entries: [...broken, { ...decision("a"), edits: {} }, ...many] }]);
  expect(await readDecisions(records, "s")).toEqual(many);
});

it("lists the sessions of all pages", async () => {
  const inner = createMemoryRecords();
  const names = ["a", "b", "c"];
  for (const name of names) await keepDecisions(inner, name, [decision("1")]);
  const listLogs: Records["listLogs"] = (options) => inner.listLogs({ ...options, limit: 1 });
  expect([...(await decidedSessions({ ...inner, listLogs })).keys()]).toEqual(names);
});
