import { expect, it } from "vitest";

import { classifyPath } from "./scan-tree.ts";

it.each([
  [
    "T",
    "tests/test_contract.py test/a.ts src/__tests__/a.ts spec/a_spec.rb src/a.test.ts src/a.spec.tsx pkg/a_test.go test_a.py src/UserTest.java a.test-d.ts",
  ],
  ["A", "prep/ADR-0001-decision.md docs/decisions/0001-esm.md adr/0002-x.md docs/adrs/x.md"],
  [
    "S",
    "schemas/summarize_entities.json user.schema.json api/user.proto schema.graphql events.avsc db/001_init.sql openapi.yaml",
  ],
  ["PR", "profiles/default.yaml app/profile/dev.json"],
  [
    "C",
    "package.json tsconfig.json tsconfig.base.json packages/a/package.json Cargo.toml tox.ini .github/workflows/ci.yml vitest.config.ts .gitignore Dockerfile go.mod pom.xml requirements.txt",
  ],
  ["P", "prep/options.json prep/scorecard.json scorecard.json"],
  ["D", "README.md docs/guide.mdx docs/a.rst notes.txt a.adoc LICENSE"],
  [
    "H",
    "handlers/main.py src/a.ts a.tsx lib/x.rs Main.java a.go a.c a.h bin/run.sh index.html style.css latest.ts src/contest.ts",
  ],
  ["R", "data/cities.csv data/cities.json locales/en.po unknown"],
])("assigns %s to %s", (prefix, paths) => {
  expect(paths.split(" ").filter((path) => classifyPath(path) !== prefix)).toEqual([]);
});
