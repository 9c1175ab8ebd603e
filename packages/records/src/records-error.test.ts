import { SqlError } from "@ccl/sql";
import { describe, expect, it } from "vitest";

import { createMemoryKeyValue } from "./key-value/create-memory-key-value.ts";
import { openRecords } from "./open-records.ts";

const systemError = (code: string) => Object.assign(new Error(code), { code });

describe("a failure of the database", () => {
  it.each([
    [systemError("ENOSPC"), "disk_full"],
    [new Error("outer", { cause: systemError("53100") }), "disk_full"],
    [new SqlError("disk_full", "full"), "disk_full"],
    [systemError("EROFS"), "read_only"],
    [new SqlError("read_only", "read-only"), "read_only"],
    [new SqlError("damaged", "malformed"), "damaged"],
    [new SqlError("schema_newer", "newer"), "newer_format"],
    [new SqlError("busy", "busy"), "unavailable"],
    [systemError("ECONNRESET"), "unavailable"],
  ])("%s is %s, with its cause", async (cause, code) => {
    const keyValue = { ...createMemoryKeyValue(), commit: () => Promise.reject(cause) };
    const records = await openRecords({ keyValue });
    const writing = records.write([{ put: "r", value: 1 }]);
    await expect(writing).rejects.toMatchObject({ code, cause });
  });
});
