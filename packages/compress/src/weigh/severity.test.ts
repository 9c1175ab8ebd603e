import { describe, expect, it } from "vitest";

import { severityOf } from "./severity.ts";

describe("severityOf", () => {
  it.each([
    ["Running task 1.0 ERROR in stage 5.0 (TID 220)", 2],
    ["PacketResponder 0 ERROR for block blk_38865049064139660", 2],
    ["ERROR: 0 bytes of 4096 were read", 2],
    ["Build FAILED with 10 errors", 3],
    ["error=5", 2],
    ["1.0 errors a minute", 2],
  ])("sees a failure in %j", (line, grade) => {
    expect(severityOf(line)).toBe(grade);
  });

  it.each([
    "0 errors, 0 warnings",
    "Build succeeded. 0 Warning(s) 0 Error(s)",
    '{"id": 4, "error": null, "warnings": 0}',
    "ok=3 changed=1 failed=0",
    "error: false",
    "finished without errors",
    "seq|4|failures: 0|errors: none",
  ])("sees none in %j", (line) => {
    expect(severityOf(line)).toBe(0);
  });
});
