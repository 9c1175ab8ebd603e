import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NodeIoError } from "./node-io-error.ts";
import { writeFileDurable } from "./write-file-durable.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-write-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("writeFileDurable", () => {
  it("writes text and bytes over the old content, and leaves no other file", async () => {
    const path = join(folder, "a.txt");
    await writeFileDurable(path, "грёза");
    expect(await readFile(path, "utf8")).toBe("грёза");
    await writeFileDurable(path, new Uint8Array([1, 0, 255]), { durability: "off" });
    expect([...(await readFile(path))]).toEqual([1, 0, 255]);
    expect(await readdir(folder)).toEqual(["a.txt"]);
  });

  it("keeps the mode of the old file, and sets a given mode exactly", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "old");
    await chmod(path, 0o640);
    await writeFileDurable(path, "new");
    expect((await stat(path)).mode & 0o7777).toBe(0o640);
    await writeFileDurable(path, "new", { mode: 0o606 });
    expect((await stat(path)).mode & 0o7777).toBe(0o606);
  });

  it("writes through a link to its target, even if the target does not exist yet", async () => {
    await mkdir(join(folder, "sub"));
    await symlink("sub/target", join(folder, "link"));
    await symlink("link", join(folder, "link-to-link"));
    await writeFileDurable(join(folder, "link-to-link"), "first");
    await writeFileDurable(join(folder, "link"), "second");
    expect(await readFile(join(folder, "sub/target"), "utf8")).toBe("second");
    expect((await lstat(join(folder, "link"))).isSymbolicLink()).toBe(true);
    expect(await readdir(join(folder, "sub"))).toEqual(["target"]);
  });

  it.each([
    ["the folder is missing", "missing/a.txt", "ENOENT"],
    ["the target is a folder", "folder", "EISDIR"],
    ["a link is circular", "circle", "ELOOP"],
    ["the name is too long", "x".repeat(300), "ENAMETOOLONG"],
  ])(
    "throws a typed error with its cause when %s, and leaves no temporary file",
    async (_name, path, code) => {
      await symlink("circle", join(folder, "circle"));
      await mkdir(join(folder, "folder"));
      const error: unknown = await writeFileDurable(join(folder, path), "x").catch(
        (reason: unknown) => reason,
      );
      expect(NodeIoError.isInstance(error) && error.code).toBe("write_failed");
      expect(error).toMatchObject({ cause: { code } });
      expect(await readdir(folder)).toEqual(["circle", "folder"]);
    },
  );

  it("keeps the old content when it is aborted before or during the write", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "old");
    await expect(
      writeFileDurable(path, "new", { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
    const controller = new AbortController();
    const writing = writeFileDurable(path, new Uint8Array(8_000_000), {
      signal: controller.signal,
    });
    queueMicrotask(() => controller.abort());
    await expect(writing).rejects.toMatchObject({ code: "aborted" });
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(folder)).toEqual(["a.txt"]);
  });

  it("shows readers one whole content or another while several callers write", async () => {
    const path = join(folder, "a.txt");
    const contents = ["a", "b", "c"].map((letter) => letter.repeat(100_000));
    await writeFileDurable(path, contents[0] ?? "");
    const writes = Array.from({ length: 12 }, (_, index) =>
      writeFileDurable(path, contents[index % 3] ?? "", { durability: "off" }),
    );
    for (let read = 0; read < 20; read += 1)
      expect(contents).toContain(await readFile(path, "utf8"));
    await Promise.all(writes);
    expect(contents).toContain(await readFile(path, "utf8"));
  });

  it("writes any bytes unchanged", async () => {
    const path = join(folder, "a.bin");
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
        await writeFileDurable(path, bytes, { durability: "off" });
        expect(new Uint8Array(await readFile(path))).toEqual(bytes);
      }),
    );
  });
});
