import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, expect, it } from "vitest";

import { openRecords } from "./open-records.ts";

const folder = mkdtempSync(join(tmpdir(), "ccl-opened-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("waits where another process has made the file and written nothing yet", async () => {
  const path = join(folder, "new.db");
  writeFileSync(path, "");
  const opening = openRecords({ sqlite: { path } });
  // As seen by this opening, the other one went away.
  rmSync(path);
  const records = await opening;
  await records.write([{ put: "a", value: 1 }]);
  expect((await records.get("a"))?.value).toBe(1);
  await records.close();
});
