// Codes of errors that no test names. The code of an error is public, so a test has to show when it comes.
import fs from "node:fs";
import path from "node:path";

const isTest = (file) =>
  /\.test\.ts$|(^|\/)(conformance|__fixtures__)\/|(^|\/)test-support\//.test(file);

/** The codes that api.md lists for errors of a package and that none of its tests names; of `core` the tests of all count. */
export function untestedCodes(root) {
  const folder = path.join(root, "packages");
  const packages = fs
    .readdirSync(folder)
    .filter((name) => fs.existsSync(path.join(folder, name, "api.md")));
  const tests = Object.fromEntries(
    packages.map((name) => [name, testsOf(path.join(folder, name))]),
  );
  return packages.flatMap((name) => {
    const api = fs.readFileSync(path.join(folder, name, "api.md"), "utf8");
    const text = name === "core" ? Object.values(tests).join("\n") : tests[name];
    return codesIn(api)
      .filter(({ code }) => !new RegExp(`["'\`/]${code}["'\`/]`).test(text))
      .map(({ error, code }) => `@ccl/${name}: no test names the code "${code}" of ${error}`);
  });
}

function codesIn(api) {
  return Array.from(api.matchAll(/export type (\w+)ErrorCode = ([^;]*);/g)).flatMap(
    ([, error, union]) =>
      Array.from(union.matchAll(/"([^"]+)"/g), ([, code]) => ({ error: `${error}Error`, code })),
  );
}

function testsOf(folder) {
  return ["src", "test-support"]
    .map((part) => path.join(folder, part))
    .filter((part) => fs.existsSync(part))
    .flatMap((part) =>
      fs.readdirSync(part, { recursive: true }).map((file) => path.join(part, file)),
    )
    .filter((file) => file.endsWith(".ts") && isTest(file.replaceAll("\\", "/")))
    .map((file) => fs.readFileSync(file, "utf8"))
    .join("\n");
}
