import { expect, it } from "vitest";

import { deriveDigest, staleDigest } from "./schema-digest.ts";

const long = "security_and_analysis.secret_scanning_delegated_bypass_options.reviewers";

it.each([
  ["a name that is too long for a digest", [{ name: long, type: "string" }]],
  [
    "a parameter and a field with the same name and different types",
    [
      { name: "url", type: "uri" },
      { name: "url", type: "string" },
    ],
  ],
  ["a name with a colon", [{ name: "a:b", type: "integer" }, { name: "a:b:c" }]],
  ["no types", [{ name: "id" }]],
])("derives no stale digest of %s", (_what, columns) => {
  const resource = { id: "r", kind: "api", title: "r", columns };
  const schema_digest = deriveDigest(resource);
  expect(schema_digest).toHaveLength(columns.length);
  expect(staleDigest({ ...resource, schema_digest })).toEqual([]);
});

it("reports entries whose column is gone or has another type", () => {
  const columns = [
    { name: "id", type: "integer" },
    { name: "at", type: "timestamp" },
  ];
  const schema_digest = ["id:int", "id:str", "at", "at:timestamp", "gone:int", "gone"];
  expect(staleDigest({ id: "r", kind: "t", title: "r", columns, schema_digest })).toEqual([
    "id:str",
    "gone:int",
    "gone",
  ]);
});
