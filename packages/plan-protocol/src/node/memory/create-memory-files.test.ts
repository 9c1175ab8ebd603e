import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { PlanProtocolError } from "../../plan-protocol-error.ts";
import { createMemoryFiles } from "./create-memory-files.ts";

let folder = "";
let options = { userDirectory: "", root: "" };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "ccl-memory-"));
  options = { userDirectory: join(folder, "user", "ccl"), root: join(folder, "project") };
  await mkdir(options.root);
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("memory in files", () => {
  it("is empty without files, and reading writes none", async () => {
    const memory = createMemoryFiles(options);
    expect(await memory.read()).toEqual({ user: {}, project: {} });
    expect(await readdir(folder)).toEqual(["project"]);
    expect(await readdir(options.root)).toEqual([]);
  });

  it("takes a patch, keeps what else stands in the files, and is there when opened again", async () => {
    await mkdir(join(options.root, ".ccl"));
    const file = join(options.root, ".ccl", "project.json");
    await writeFile(file, '\uFEFF{"team": ["a"], "build_command": 7, "package_manager": "npm"}');
    const memory = createMemoryFiles(options);
    const outcome = await memory.patch({
      "project.package_manager": "pnpm",
      "user.preferred_style": "brief",
      "user.shoe_size": 42,
    });
    expect(outcome).toMatchObject({
      applied: ["project.package_manager", "user.preferred_style"],
      rejected: [{ path: ["user.shoe_size"] }],
    });
    expect(await readFile(file, "utf8")).toBe(
      '{\n  "team": [\n    "a"\n  ],\n  "build_command": 7,\n  "package_manager": "pnpm"\n}\n',
    );
    expect(await readFile(memory.userFile, "utf8")).toBe('{\n  "preferred_style": "brief"\n}\n');
    expect((await stat(memory.userFile)).mode & 0o077).toBe(0);
    const again = createMemoryFiles(options);
    expect(await again.inspect()).toMatchObject({
      memory: { user: { preferred_style: "brief" }, project: { package_manager: "pnpm" } },
      rejected: [{ path: ["project.build_command"] }, { path: ["project.team"] }],
    });
  });

  it("writes nothing for a patch of which nothing is valid", async () => {
    const memory = createMemoryFiles(options);
    expect((await memory.patch({ "user.ask_budget": 9, __proto__: 1 })).applied).toEqual([]);
    expect(await readdir(folder)).toEqual(["project"]);
  });

  it("loses no patch of several at a time", async () => {
    const memory = createMemoryFiles(options);
    const keys = ["build_command", "default_test_command", "default_lint_command", "ci_notes"];
    await Promise.all(keys.map((key) => memory.patch({ [`project.${key}`]: key })));
    expect((await memory.read()).project).toEqual(
      Object.fromEntries(keys.map((key) => [key, key])),
    );
  });

  it.each(["", "{", "[]", "null", '"text"', `{"a":"${"x".repeat(300_000)}"}`])(
    "throws for a file that holds %.10j, and leaves it",
    async (text) => {
      const memory = createMemoryFiles(options);
      await mkdir(options.userDirectory, { recursive: true });
      await writeFile(memory.userFile, text);
      const calls = [
        () => memory.inspect(),
        () => memory.read(),
        () => memory.patch({ "user.ask_budget": 1 }),
      ];
      for (const call of calls) {
        const error: unknown = await call().catch((reason: unknown) => reason);
        expect(PlanProtocolError.isInstance(error) && error.code).toBe("memory_corrupt");
        expect(String(error)).toContain(memory.userFile);
      }
      expect(await readFile(memory.userFile, "utf8")).toBe(text);
    },
  );

  it("does not follow a link out of the project", async () => {
    await mkdir(join(folder, "elsewhere"));
    await symlink(join(folder, "elsewhere"), join(options.root, ".ccl"));
    await expect(createMemoryFiles(options).read()).rejects.toMatchObject({
      code: "invalid_input",
    });
  });

  it("says which file could not be read, and stops when aborted", async () => {
    await mkdir(join(options.userDirectory, "preferences.json"), { recursive: true });
    await expect(createMemoryFiles(options).read()).rejects.toMatchObject({
      code: "io_failed",
      message: expect.stringContaining("EISDIR"),
    });
    await expect(
      createMemoryFiles(options).read({ signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: "aborted" });
  });
});
