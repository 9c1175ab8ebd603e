import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openRecords } from "@ccl/records/node";
import { afterEach, beforeEach, expect, it } from "vitest";

import { runCcl } from "./__fixtures__/run-ccl.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "ccl-doctor-store-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const ccl = async (...args: string[]) => {
  const { code, stdout } = await runCcl([...args, "--json"], { cwd });
  return { code, answer: JSON.parse(stdout) };
};

it.each([
  ["a SQLite file", "kept.sqlite", "kept.sqlite"],
  ["a folder", "kept", "kept/records.log"],
])("says what is damaged in %s, and copies the rest", async (_, store, file) => {
  const path = join(cwd, store);
  const place = store.endsWith(".sqlite") ? { sqlite: { path } } : { folder: path };
  const records = await openRecords(place);
  for (let at = 0; at < 40; at += 1)
    await records.write([{ put: `name-${at}`, value: `value-${at} ${"text ".repeat(40)}` }]);
  await records.write([{ append: "log", entries: ["first", "second"] }]);
  await records.close();
  expect(await ccl("doctor", store)).toMatchObject({
    code: 0,
    answer: { isHealthy: true, records: 40, entries: 2, lost: [] },
  });

  const bytes = readFileSync(join(cwd, file));
  const at = bytes.indexOf("value-17 ");
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(join(cwd, file), bytes);
  const damaged = { isHealthy: false, records: 39, entries: 2, lost: [expect.any(String)] };
  expect(await ccl("doctor", store)).toMatchObject({ code: 3, answer: damaged });
  expect(await ccl("doctor", store, "--copy", `copy-of-${store}`)).toMatchObject({
    code: 3,
    answer: damaged,
  });
  expect(await ccl("doctor", `copy-of-${store}`)).toMatchObject({
    code: 0,
    answer: { isHealthy: true, records: 39, entries: 2 },
  });
  expect(readFileSync(join(cwd, file))).toEqual(bytes);
  expect(await ccl("doctor", store, "--copy", `copy-of-${store}`)).toMatchObject({ code: 2 });
});

it("says where nothing is", async () => {
  expect(await ccl("doctor", "absent.sqlite")).toMatchObject({
    code: 2,
    answer: { error: { message: expect.stringContaining("absent.sqlite") } },
  });
});
