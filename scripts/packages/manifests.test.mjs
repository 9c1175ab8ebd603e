import path from "node:path";

import { describe, expect, it } from "vitest";

import { readWorkspace } from "../graph/workspace.mjs";

const root = path.resolve(import.meta.dirname, "../..");
const published = readWorkspace(root).packages.filter(({ manifest }) => manifest.private !== true);

describe.each(published.map((item) => [item.name, item]))("%s", (_, { manifest, directory }) => {
  it("tells npm what it is and where its homepage and bugs are", () => {
    const folder = path.relative(root, directory).replaceAll(path.sep, "/");
    expect(manifest).toMatchObject({
      description: expect.stringMatching(/^.{20,}\.$/),
      license: "MIT",
      repository: { type: "git", directory: folder },
      homepage: expect.stringContaining(`/${folder}#readme`),
      bugs: expect.stringMatching(/^https:.*\/issues$/),
    });
    expect(manifest.keywords.length).toBeGreaterThanOrEqual(3);
  });

  it("runs no script on installation and asks for Node 20.19", () => {
    expect(Object.keys(manifest.scripts)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$|^prepare$/)]),
    );
    expect(manifest.engines).toEqual({ node: ">=20.19" });
  });
});
