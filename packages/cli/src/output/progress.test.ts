import { describe, expect, it, vi } from "vitest";

import { createProgress } from "./progress.ts";

describe("progress", () => {
  it("shows one line that it overwrites and wipes, once a step takes long", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const written: string[] = [];
      const progress = createProgress({ isTTY: true, write: (text) => written.push(text) }, {});
      progress.update("Reading", 1, 9);
      vi.advanceTimersByTime(300);
      progress.update("Reading", 5, 9);
      progress.update("Reading", 6, 9);
      progress.clear();
      progress.clear();
      expect(written).toEqual(["\r\u001B[2KReading 5/9 ███████████░░░░░░░░░ 0.3 s", "\r\u001B[2K"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    { what: "no terminal", isTTY: false, environment: {} },
    { what: "a terminal that cannot wipe a line", isTTY: true, environment: { TERM: "dumb" } },
  ])("writes nothing where there is $what", ({ isTTY, environment }) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    try {
      const written: string[] = [];
      const progress = createProgress({ isTTY, write: (text) => written.push(text) }, environment);
      vi.advanceTimersByTime(1000);
      progress.update("Reading", 5);
      progress.clear();
      expect(written).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });
});
