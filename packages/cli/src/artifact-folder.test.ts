import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { ArtifactStoreError } from "@ccl/artifact-store";
import { openFsArtifactStore } from "@ccl/artifact-store-fs";
import { SqlError } from "@ccl/sql";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openState, type State, stateFolder } from "./artifact-folder.ts";
import { runCcl } from "./__fixtures__/run-ccl.ts";
import { openSession } from "./session.ts";

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "ccl-artifact-folder-"));
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function openFolder(state: string): Promise<State> {
  const { signal } = new AbortController();
  const stream = { write: () => undefined, on: () => undefined };
  const own = { stdin: {}, stdout: stream, stderr: stream, env: {}, platform: process.platform };
  const session = await openSession({}, { signal, terminal: { ...own, cwd: () => base } });
  return await openState(session, { state });
}

describe("a folder of artifacts", () => {
  it("gives back in another opening what was stored, and says how it keeps it", async () => {
    const folder = join(base, "new", "state");
    const first = await openFolder(folder);
    const { artifactId } = await first.store.store("red fox", { source: "test" });
    await first.close();
    const second = await openFolder(folder);
    expect(second).toMatchObject({ path: folder, kind: first.kind });
    expect((await stat(folder)).mode & 0o077).toBe(0);
    const modes = (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(async ({ name }) => (await stat(join(folder, name))).mode & 0o077);
    expect(new Set([0, ...(await Promise.all(modes))])).toEqual(new Set([0]));
    expect(await second.store.retrieve(artifactId)).toEqual(new TextEncoder().encode("red fox"));
    await second.close();
  });

  it("uses files where no driver of SQLite is installed", async () => {
    vi.doMock("@ccl/artifact-store-sqlite", () => ({
      openSqliteArtifactStore: () => {
        const cause = new SqlError("no_driver", "no driver");
        return Promise.reject(new ArtifactStoreError("unavailable", "not opened", { cause }));
      },
    }));
    const opened = await openFolder(base);
    vi.doUnmock("@ccl/artifact-store-sqlite");
    expect(opened.kind).toBe("files");
    await opened.close();
  });

  it("stays with files where artifacts are kept in files", async () => {
    const files = await openFsArtifactStore({ folder: join(base, "artifacts") });
    const { artifactId } = await files.store("kept in files", { source: "test" });
    await files.close();
    const opened = await openFolder(base);
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

  it.each([[["artifacts", "ls"]], [["mcp", "install", "cursor", "--yes"]]])(
    "that cannot be used by %j names the variable that chooses it",
    async (args) => {
      await writeFile(join(base, "file"), "");
      const env = { CCL_STATE_DIR: join(base, "file", "state") };
      const { code, stderr } = await runCcl(args, { cwd: base, env });
      expect(code).toBe(2);
      expect(stderr).toBe(
        `ccl: ${env.CCL_STATE_DIR} cannot be used as the state folder (ENOTDIR). Set CCL_STATE_DIR to a folder that you can write to.\n`,
      );
      expect(await readdir(base)).toEqual(["file"]);
    },
  );
});
