import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { ArtifactStoreError } from "@ccl/artifact-store";
import { openFsArtifactStore } from "@ccl/artifact-store-fs";
import { SqlError } from "@ccl/sql";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openArtifactFolder, stateFolder } from "./artifact-folder.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ccl-artifact-folder-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

describe("a folder of artifacts", () => {
  it("gives back in another opening what was stored, and says how it keeps it", async () => {
    const folder = join(base, "new", "state");
    const first = await openArtifactFolder(folder);
    const { artifactId } = await first.store.store("red fox", { source: "test" });
    await first.close();
    const second = await openArtifactFolder(folder);
    expect(second).toMatchObject({ path: folder, kind: first.kind });
    expect(await second.store.retrieve(artifactId)).toEqual(new TextEncoder().encode("red fox"));
    await second.close();
  });

  it("uses files where no driver of SQLite is installed", async () => {
    vi.doMock("@ccl/artifact-store-sqlite", () => ({
      openSqliteArtifactStore: () => {
        const cause = new SqlError("no_driver", "no driver");
        return Promise.reject(new ArtifactStoreError("store_failed", "not opened", { cause }));
      },
    }));
    const opened = await openArtifactFolder(base);
    vi.doUnmock("@ccl/artifact-store-sqlite");
    expect(opened.kind).toBe("files");
    await opened.close();
  });

  it("stays with files where artifacts are kept in files", async () => {
    const files = await openFsArtifactStore({ root: join(base, "artifacts") });
    const { artifactId } = await files.store("kept in files", { source: "test" });
    await files.close();
    const opened = await openArtifactFolder(base);
    expect(opened.kind).toBe("files");
    expect(await opened.store.exists(artifactId)).toBe(true);
    await opened.close();
  });
});

describe("the state folder", () => {
  it.each([
    ["linux", { HOME: "/home/ada" }, "/home/ada/.local/state/ccl"],
    ["linux", { HOME: "/home/ada", XDG_STATE_HOME: "/var/ada" }, "/var/ada/ccl"],
    ["linux", { HOME: "/home/ada", XDG_STATE_HOME: "relative" }, "/home/ada/.local/state/ccl"],
    ["darwin", { HOME: "/Users/ada" }, "/Users/ada/Library/Application Support/ccl"],
    ["win32", { LOCALAPPDATA: "/ada/Local" }, "/ada/Local/ccl"],
    ["win32", { USERPROFILE: "/ada" }, "/ada/AppData/Local/ccl"],
    ["linux", { HOME: "/home/ada", CCL_STATE_DIR: "/tmp/state" }, "/tmp/state"],
  ] as const)("on %s with %j is %s", (platform, env, expected) => {
    expect(resolve(stateFolder({ platform, env }))).toBe(resolve(expected));
  });
});
