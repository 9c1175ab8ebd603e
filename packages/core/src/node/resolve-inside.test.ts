import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveInside } from "./resolve-inside.ts";

let top = "";
let root = "";
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), "ccl-inside-")));
  root = join(top, "root");
  await mkdir(join(root, "sub/deep"), { recursive: true });
  await mkdir(join(top, "root-sibling"));
  await writeFile(join(top, "secret.txt"), "x");
  await writeFile(join(root, "file.txt"), "x");
  const links: [link: string, target: string][] = [
    ["inner", "sub/deep"],
    ["file-link", "file.txt"],
    ["up", ".."],
    ["sibling", "../root-sibling"],
    ["secret", "../secret.txt"],
    ["absolute", top],
    ["round", "../root/sub"],
    ["dangling-in", "nothing"],
    ["dangling-out", "../nothing"],
    ["below-file", "file.txt/x"],
    ["circle", "circle"],
    ["sub/hop", "../up"],
  ];
  for (const [link, target] of links) await symlink(target, join(root, link));
  await symlink("root", join(top, "root-link"));
});
afterAll(async () => {
  await rm(top, { recursive: true, force: true });
});

async function codesOf(path: string): Promise<string[] | string> {
  const result = await resolveInside(root, path);
  return result.ok ? result.value.absolutePath : result.issues.map((issue) => issue.code);
}

describe("resolveInside", () => {
  it.each([
    ["file.txt", "file.txt", "file.txt"],
    ["./sub//deep/", "sub/deep", "sub/deep"],
    ["sub/new/file.ts", "sub/new/file.ts", "sub/new/file.ts"],
    ["inner/new.ts", "sub/deep/new.ts", "inner/new.ts"],
    ["file-link", "file.txt", "file-link"],
    ["round/deep", "sub/deep", "round/deep"],
    [".", ".", "."],
    ["..test", "..test", "..test"],
    [
      "app/(group)/@modal/[...slug]/page.tsx",
      "app/(group)/@modal/[...slug]/page.tsx",
      "app/(group)/@modal/[...slug]/page.tsx",
    ],
    ["docs/Руководство.md", "docs/Руководство.md", "docs/Руководство.md"],
    ["%2e%2e/%2e%2e/etc", "%2e%2e/%2e%2e/etc", "%2e%2e/%2e%2e/etc"],
    ["console/lptN/comx", "console/lptN/comx", "console/lptN/comx"],
  ])("resolves %j", async (path, real, relativePath) => {
    expect(await resolveInside(root, path)).toEqual({
      ok: true,
      value: { absolutePath: join(root, real), relativePath },
    });
  });

  it.each([
    ["", ["empty_path"]],
    ["/etc/passwd", ["absolute_path"]],
    ["//server/share", ["absolute_path"]],
    ["..", ["parent_segment"]],
    ["sub/../../x", ["parent_segment"]],
    ["sub/../file.txt", ["parent_segment"]],
    ["a\0b", ["invalid_character"]],
    ["a\nb", ["invalid_character"]],
    ["a\ud800", ["invalid_character"]],
    ["C:\\Windows", ["absolute_path", "invalid_character"]],
    ["c:x", ["absolute_path", "invalid_character"]],
    ["\\\\server\\share", ["absolute_path", "invalid_character"]],
    ["..\\x", ["invalid_character", "parent_segment"]],
    ["file.txt::$DATA", ["invalid_character"]],
    ["nul", ["reserved_name"]],
    ["sub/COM1.txt", ["reserved_name"]],
    ["lpt³", ["reserved_name"]],
    ["conOut$  .x", ["reserved_name"]],
    ["x./y", ["reserved_name"]],
    ["x ", ["reserved_name"]],
    ["...", ["reserved_name"]],
    ["/../nul\0", ["absolute_path", "invalid_character", "parent_segment"]],
    ["up", ["symlink_outside"]],
    ["up/secret.txt", ["symlink_outside"]],
    ["up/root/file.txt", ["symlink_outside"]],
    ["sub/hop/x", ["symlink_outside"]],
    ["sibling/x", ["symlink_outside"]],
    ["secret", ["symlink_outside"]],
    ["absolute", ["symlink_outside"]],
    ["dangling-out", ["symlink_unresolved"]],
    ["dangling-in", ["symlink_unresolved"]],
    ["below-file", ["symlink_unresolved"]],
    ["circle/x", ["symlink_unresolved"]],
    ["file.txt/x", ["unusable_path"]],
    ["x".repeat(300), ["unusable_path"]],
  ])("refuses %j with %j", async (path, codes) => {
    expect(await codesOf(path)).toEqual(codes);
  });

  it("accepts a root that is a link", async () => {
    const result = await resolveInside(join(top, "root-link"), "inner");
    expect(result).toEqual({
      ok: true,
      value: { absolutePath: join(root, "sub/deep"), relativePath: "inner" },
    });
  });

  it.each(["nothing", "secret.txt"])("throws a typed error when the root is %j", async (name) => {
    await expect(resolveInside(join(top, name), "x")).rejects.toMatchObject({
      code: "root_unusable",
    });
  });

  it("observes its signal", async () => {
    await expect(resolveInside(root, "x", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
  });

  it("never returns a path outside the root, whatever the path", async () => {
    const names =
      ".. . sub deep up inner round secret absolute hop sibling circle file.txt dangling-in dangling-out root new";
    const hostile = [
      "",
      "C:",
      "nul",
      "\\",
      "\\..",
      "%2e%2e",
      "~",
      "a ",
      "a.",
      "\0",
      "．．",
      "/",
      top,
    ];
    const part = fc.constantFrom(...names.split(" "), ...hostile);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 4, arbitrary: part }, fc.string()), { maxLength: 6 }),
        async (parts) => {
          const result = await resolveInside(root, parts.join("/"));
          if (!result.ok) return;
          let existing = result.value.absolutePath;
          let real: string | undefined;
          while (real === undefined) {
            real = await realpath(existing).catch(() => undefined);
            if (real === undefined) existing = dirname(existing);
          }
          expect(`${real}${sep}`.startsWith(`${root}${sep}`)).toBe(true);
          expect(`${result.value.absolutePath}${sep}`.startsWith(`${root}${sep}`)).toBe(true);
        },
      ),
    );
  });
});
