import { expect, it } from "vitest";

import { RecentSessions } from "./recent-sessions.ts";

const sessionOf = (chars: number) => ({ planner: { chars } });

it("evicts the least recently used sessions, by count and by size", () => {
  const sessions = new RecentSessions({ maxCount: 3, maxChars: 100 });
  const growing = sessionOf(10);
  sessions.use("a", growing);
  sessions.use("b", sessionOf(10));
  sessions.use("c", sessionOf(10));
  expect(sessions.get("a")).toBe(growing);
  sessions.use("d", sessionOf(10));
  expect(["a", "b", "c", "d"].map((key) => sessions.get(key) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  growing.planner.chars = 85;
  expect(sessions.get("a")).toBe(growing);
  expect(["c", "d"].map((key) => sessions.get(key) !== undefined)).toEqual([false, true]);
  sessions.use("large", sessionOf(1000));
  expect(["a", "d", "large"].map((key) => sessions.get(key) !== undefined)).toEqual([
    false,
    false,
    true,
  ]);
});
