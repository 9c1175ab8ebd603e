import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { executePlan } from "../execute/execute-plan.ts";
import { parseLogicalPlan } from "../parse/parse-logical-plan.ts";
import { fileConnector } from "./file-connector.ts";

let parent = "";
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), "ccl-folder-"));
  mkdirSync(join(parent, "data/sub"), { recursive: true });
  writeFileSync(join(parent, "secret.csv"), "a\n99\n");
  writeFileSync(join(parent, "data/t.csv"), "a\n1\n");
  writeFileSync(join(parent, "data/sub/u.csv"), "a\n2\n");
  symlinkSync(join(parent, "secret.csv"), join(parent, "data/link.csv"));
  symlinkSync(parent, join(parent, "data/up"));
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

async function read(uri: string): Promise<unknown> {
  const plan = parseLogicalPlan("scan(res:t)");
  if (!plan.ok) throw new Error("The plan has to parse.");
  const columns = [{ name: "a", type: "int" }];
  const result = await executePlan(plan.value, {
    details: [{ id: "res:t", uri, kind: "file", title: "t", columns }],
    connectors: { "file:": fileConnector({ folder: join(parent, "data") }) },
  });
  return result.all();
}

it.each([
  ["file:///somewhere/data/t.csv", 1],
  ["file:///data/sub/u.csv", 2],
])("reads %s from the folder", async (uri, a) => {
  expect(await read(uri)).toEqual([{ a }]);
});

it.each([
  "file:///../secret.csv",
  "file:///%2e%2e/secret.csv",
  "file:///..%2fsecret.csv",
  "file:///..%5csecret.csv",
  "file:///link.csv",
  "file:///up/secret.csv",
  "file:///secret.csv",
  "file:///t.csv%00.csv",
])("refuses %s", async (uri) => {
  await expect(read(uri)).rejects.toMatchObject({ code: "source_failed" });
});
