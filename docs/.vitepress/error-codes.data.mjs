// The sources declare the codes as unions of strings, each with a comment that explains it.
import fs from "node:fs";
import path from "node:path";

const packages = path.resolve(import.meta.dirname, "../../packages");

export default {
  watch: ["../../packages/*/src/**/*error*.ts"],
  load() {
    return fs
      .readdirSync(packages, { recursive: true })
      .filter(
        (file) =>
          /^[^/\\]+[/\\]src[/\\].*error[^/\\]*\.ts$/.test(file) && !file.endsWith(".test.ts"),
      )
      .flatMap((file) => codesOf(fs.readFileSync(path.join(packages, file), "utf8")))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  },
};

function codesOf(source) {
  const pattern = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?export type (\w+)ErrorCode =([^;]*);/g;
  return Array.from(source.matchAll(pattern), ([, comment = "", name, union]) => ({
    name: `${name}Error`,
    text: comment
      .replaceAll(/^\s*\* ?/gm, "")
      .replaceAll(/[`{}]|@link /g, "")
      .trim(),
    codes: Array.from(union.matchAll(/"([^"]+)"/g), ([, code]) => code),
  })).filter(({ codes }) => codes.length > 0);
}
