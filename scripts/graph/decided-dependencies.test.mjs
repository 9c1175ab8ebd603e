import fs from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

import { undecidedDependencies } from "./decided-dependencies.mjs";
import { readWorkspace } from "./workspace.mjs";

const workspace = readWorkspace(path.resolve(import.meta.dirname, "../.."));
const withManifest = (name, change) => ({
  ...workspace,
  packages: workspace.packages.map((item) =>
    item.name === name ? { ...item, manifest: { ...item.manifest, ...change } } : item,
  ),
});

it("finds only dependencies without a line and lines without a user", () => {
  expect(undecidedDependencies(workspace)).toEqual([]);
  expect(
    undecidedDependencies(withManifest("@ccl/sql", { dependencies: { "left-pad": "1.0.0" } })),
  ).toEqual([expect.stringMatching(/^@ccl\/sql needs left-pad, and .* no line of it for sql$/)]);
  const { undici: _, ...others } = workspace.packages.find(({ name }) => name === "@ccl/gateway")
    .manifest.dependencies;
  expect(undecidedDependencies(withManifest("@ccl/gateway", { dependencies: others }))).toEqual([
    expect.stringMatching(/ says that gateway needs undici, which it does not$/),
  ]);
});

it("ships the notice of the vocabularies", () => {
  const { directory, manifest } = workspace.packages.find(({ name }) => name === "@ccl/cli");
  const notice = "THIRD-PARTY-NOTICES.md";
  expect(manifest.files).toContain(notice);
  expect(fs.readFileSync(path.join(directory, notice), "utf8")).toContain("OpenAI, Shantanu Jain");
});
