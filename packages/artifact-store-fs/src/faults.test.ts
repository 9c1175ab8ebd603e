import { existsSync } from "node:fs";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  unlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createArtifactStore } from "@ccl/artifact-store/driver";
import type { ArtifactStore } from "@ccl/artifact-store";
import { sha256Hex } from "@ccl/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SimulatedDisk } from "@ccl/core/testing/node";
import { fileSystemOf } from "../test-support/simulated-file-system.ts";
import { openTestStore } from "../test-support/simulated-store.ts";
import { openFsDriver } from "./driver/fs-driver.ts";
import type { FileSystem } from "./file-system/file-system.ts";
import { nodeFileSystem } from "./file-system/node-file-system.ts";
import { openFsArtifactStore } from "./open-fs-artifact-store.ts";
import { createOwner } from "./owner.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ccl-fs-faults-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const failing = (code: string): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }));
const large = new Uint8Array(3_000_000).fill(5);
const stream = async function* (): AsyncGenerator<Uint8Array> {
  yield large;
};
const pathOf = (id: string): string => join(root, "blobs", id.slice(0, 2), id);

/** A file system whose nth call of that kind, and all later ones until it is repaired, fails. */
function failingAt(
  fs: FileSystem,
  call: string,
  code: string,
): { fs: FileSystem; arm: (isArmed: boolean) => void } {
  let isArmed = false;
  const fileCalls = new Set(["write", "sync", "setTime"]);
  const guard = <Target extends object>(target: Target): Target =>
    new Proxy(target, {
      get: (object, name, receiver) =>
        name === call && isArmed ? () => failing(code) : Reflect.get(object, name, receiver),
    });
  const create: FileSystem["create"] = async (path) =>
    call === "create" && isArmed ? failing(code) : guard(await fs.create(path));
  return {
    fs: { ...guard({ ...fs }), ...(fileCalls.has(call) ? {} : broken()), create },
    arm: (on) => (isArmed = on),
  };

  function broken(): Partial<FileSystem> {
    if (call === "link")
      return { link: (from, to) => (isArmed ? failing(code) : fs.link(from, to)) };
    if (call === "rename")
      return { rename: (from, to) => (isArmed ? failing(code) : fs.rename(from, to)) };
    return { syncFolder: (path) => (isArmed ? failing(code) : fs.syncFolder(path)) };
  }
}

describe("a disk that fails", () => {
  it.each([
    ["ENOSPC", "write", "disk_full"],
    ["ENOSPC", "create", "disk_full"],
    ["EDQUOT", "link", "disk_full"],
    ["EIO", "sync", "unavailable"],
    ["EIO", "syncFolder", "unavailable"],
    ["EIO", "rename", "unavailable"],
  ])(
    "%s at %s is a typed error, leaves nothing, and harms nothing that was there",
    async (code, call, expected) => {
      const disk = new SimulatedDisk();
      const { fs, arm } = failingAt(fileSystemOf(disk), call, code);
      const store = await openTestStore(fs, { name: "x" });
      const kept = await store.store("kept", { source: "a" });
      const tries: (() => Promise<unknown>)[] = [
        () => store.store("new", { source: "a" }),
        () => store.store("kept", { source: "b" }),
        () => store.store(stream(), { source: "a" }),
        () => store.storeMany(["kept", "p", "q"].map((content) => ({ content, source: "many" }))),
      ];
      // A second reference to bytes that are there takes no link.
      for (const attempt of call === "link" ? tries.filter((_, index) => index !== 1) : tries) {
        arm(true);
        await expect(attempt()).rejects.toMatchObject({ code: expected, cause: { code } });
        arm(false);
        expect((await store.listHandles()).handles).toEqual([kept]);
        expect(new TextDecoder().decode(await store.retrieve(kept.artifactId))).toBe("kept");
        expect(await fileSystemOf(disk).list("/store/staging")).toEqual([]);
        await attempt();
        for (const handle of (await store.listHandles()).handles) {
          if (handle.handleId !== kept.handleId)
            await store.delete(handle.artifactId, { handleId: handle.handleId });
        }
      }
      expect((await store.verify()).damaged).toEqual([]);
      await store.collectGarbage({ graceMs: 0 });
      const files = await fileSystemOf(disk).list(`/store/blobs/${kept.artifactId.slice(0, 2)}`);
      expect(files).toHaveLength(2);
    },
  );

  it("fails a long stream that could not be synced, and takes it once it can", async () => {
    const disk = new SimulatedDisk();
    let syncs = 0;
    const create: FileSystem["create"] = async (path) => {
      const file = await fileSystemOf(disk).create(path);
      return { ...file, sync: () => ((syncs += 1) === 1 ? failing("EIO") : file.sync()) };
    };
    const store = await openTestStore({ ...fileSystemOf(disk), create }, { name: "x" });
    const long = async function* (): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 4; count += 1) yield large;
    };
    await expect(store.store(long(), { source: "a" })).rejects.toMatchObject({
      cause: { code: "EIO" },
    });
    expect(await fileSystemOf(disk).list("/store/staging")).toEqual([]);
    expect((await store.store(long(), { source: "a" })).sizeBytes).toBe(4 * large.length);
    expect(syncs).toBeGreaterThanOrEqual(2);
  });

  it("fails with unsupported where there are no hard links", async () => {
    const { fs, arm } = failingAt(fileSystemOf(new SimulatedDisk()), "link", "EPERM");
    const store = await openTestStore(fs, { name: "x" });
    arm(true);
    await expect(store.store("new", { source: "a" })).rejects.toMatchObject({
      code: "unsupported",
    });
  });
});

describe("a folder that others have changed", () => {
  let store: ArtifactStore;
  beforeEach(async () => {
    store = await openFsArtifactStore({ folder: root });
  });
  afterEach(() => store.close());

  it.each([
    ["cut to nothing", (path: string) => truncate(path, 0)],
    ["cut in its header", (path: string) => truncate(path, 20)],
    ["cut in its content", (path: string) => truncate(path, 2_000_000)],
    ["full of something else", (path: string) => writeFile(path, "x".repeat(300_000))],
    ["one long line", (path: string) => writeFile(path, "x".repeat(3_000_000))],
    ["a link", async (path: string) => unlink(path).then(() => symlink("/etc/hostname", path))],
    [
      "a link that leads nowhere",
      async (path: string) => unlink(path).then(() => symlink("nowhere", path)),
    ],
    ["a folder", async (path: string) => unlink(path).then(() => mkdir(path))],
  ])(
    "says damaged of a blob that is %s, and storing the bytes repairs it",
    async (name, damage) => {
      const { artifactId } = await store.store(stream(), { source: "a" });
      const other = await store.store("other", { source: "a" });
      await damage(pathOf(artifactId));
      await expect(store.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
      expect((await store.verify()).damaged).toEqual([artifactId]);
      await expect(
        store.retrieve(artifactId, { range: { start: 0, end: 3 } }),
      ).rejects.toMatchObject({
        code: "damaged",
      });
      await store.store(large, { source: "b" });
      expect(sha256Hex((await store.retrieve(artifactId)) ?? "")).toBe(artifactId);
      expect(await store.verify()).toMatchObject({ damaged: [], missing: [] });
      expect(new TextDecoder().decode(await store.retrieve(other.artifactId))).toBe("other");
      await store.delete(artifactId);
      await store.collectGarbage({ graceMs: 0 });
      const left = await readdir(join(root, "blobs", artifactId.slice(0, 2)));
      expect(left.filter((name) => name.startsWith(artifactId))).toHaveLength(
        name === "a folder" ? 1 : 0,
      );
    },
  );

  it("repairs a damaged blob at once when the same bytes are stored, without a check before", async () => {
    const { artifactId, handleId } = await store.store("small", { source: "a" });
    await writeFile(pathOf(artifactId), "");
    const again = await store.store("small", { source: "b" });
    expect(new TextDecoder().decode(await store.retrieve(artifactId))).toBe("small");
    expect((await store.getHandles(artifactId)).map((handle) => handle.handleId)).toContain(
      again.handleId,
    );
    expect(await store.delete(artifactId, { handleId })).toBe(true);
  });

  it("reads on from the second name when a blob's first name is removed, and reports it missing without any", async () => {
    const { artifactId } = await store.store("x", { source: "a" });
    await store.store("x", { source: "b" });
    await unlink(pathOf(artifactId));
    expect(new TextDecoder().decode(await store.retrieve(artifactId))).toBe("x");
    const folder = join(root, "blobs", artifactId.slice(0, 2));
    const [first = ""] = (await readdir(folder)).sort();
    await unlink(join(folder, first));
    await expect(store.retrieve(artifactId)).rejects.toMatchObject({ code: "damaged" });
    expect((await store.verify()).missing).toEqual([artifactId]);
  });

  it.each(["blobs", "staging", "blobs/ab", "batches"])(
    "refuses to open with a link in the place of %s",
    async (name) => {
      await store.close();
      const outside = `${root}-outside`;
      await rename(join(root, name), outside);
      await symlink(outside, join(root, name));
      await expect(openFsArtifactStore({ folder: root })).rejects.toMatchObject({
        code: "unsupported",
      });
      await rm(outside, { recursive: true });
    },
  );

  it("writes through no link that has a temporary file's name, and leaves strangers' files alone", async () => {
    const victim = join(root, "victim");
    await writeFile(victim, "untouched");
    const artifactId = sha256Hex("aimed at");
    await symlink(victim, pathOf(artifactId));
    await store.store("aimed at", { source: "a" });
    expect(new TextDecoder().decode(await store.retrieve(artifactId))).toBe("aimed at");
    expect(sha256Hex(await import("node:fs/promises").then((fs) => fs.readFile(victim)))).toBe(
      sha256Hex("untouched"),
    );
    await writeFile(join(root, "blobs/ab/README"), "mine");
    await writeFile(join(root, "blobs/ab", `${"a".repeat(64)}.x.y`), "mine");
    await store.collectGarbage({ graceMs: 0 });
    expect((await readdir(join(root, "blobs/ab"))).sort()).toEqual(
      ["README", `${"a".repeat(64)}.x.y`].sort(),
    );
  });
});

describe("a store that may only be read", () => {
  it("opens, reads and lists, and refuses writes with a typed error", async () => {
    const store = await openFsArtifactStore({ folder: root });
    const { artifactId } = await store.store("kept", { source: "a" });
    await store.close();
    const isRoot = process.getuid?.() === 0;
    if (isRoot)
      console.warn("root may write anywhere: the read-only folder is acted by the file calls.");
    await chmod(root, 0o555);
    const denied = (): Promise<never> => failing("EROFS");
    const writes = {
      create: denied,
      link: denied,
      rename: denied,
      unlink: denied,
      makeFolder: denied,
      setTime: denied,
    };
    const fs = isRoot ? { ...nodeFileSystem, ...writes } : nodeFileSystem;
    await chmod(join(root, "owners"), 0o555);
    const reader = createArtifactStore(
      await openFsDriver({ fs, root, durability: "full", owner: await createOwner() }),
    );
    expect(new TextDecoder().decode(await reader.retrieve(artifactId))).toBe("kept");
    expect((await reader.listHandles()).handles).toHaveLength(1);
    await expect(reader.store("more", { source: "a" })).rejects.toMatchObject({
      code: "read_only",
    });
    await reader.close();
    await chmod(root, 0o755);
    await chmod(join(root, "owners"), 0o755);
    expect(existsSync(join(root, "blobs"))).toBe(true);
  });

  it.each([
    ["", "full"],
    ["a\0b", "full"],
  ])("refuses the folder %j", async (bad) => {
    await expect(openFsArtifactStore({ folder: bad })).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("fails with a typed error where the folder is a file", async () => {
    await writeFile(join(root, "file"), "");
    await expect(openFsArtifactStore({ folder: join(root, "file") })).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});
