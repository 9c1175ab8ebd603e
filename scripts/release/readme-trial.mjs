// Tries one package in its own folder, as a reader of its README would.
import fs from "node:fs";
import path from "node:path";

import { firstProgram, installDependencies } from "../packages/consumer-app.mjs";
import { runCommand } from "../packages/run-command.mjs";

/** Installs a package by the first `npm install` lines of its README. `run` returns what failed, or undefined. */
export function readmeTrial(
  { name, directory: source, bins, manifest: { version } },
  { tarballs, directory },
) {
  const readme = fs.readFileSync(path.join(source, "README.md"), "utf8");
  const isCommand = bins.length > 0;
  const names = isCommand ? [name] : installedNames(readme);
  const dependencies = Object.fromEntries(
    names.map((given) => [
      given,
      tarballs[given] === undefined ? "latest" : `file:${tarballs[given]}`,
    ]),
  );
  // The packages depend on each other by version, and none of these versions is published yet.
  const others = Object.entries(tarballs).filter(([other]) => dependencies[other] === undefined);
  const overrides = Object.fromEntries(others.map(([other, file]) => [other, `file:${file}`]));
  installDependencies(directory, { name: "trial", private: true, dependencies, overrides });
  const file = path.join(directory, "first.mjs");
  const program = isCommand ? undefined : firstProgram(readme, name);
  if (program !== undefined) fs.writeFileSync(file, program);
  return {
    run({ name: runtime, command }, sample) {
      const cwd = path.join(directory, `on ${runtime}`);
      fs.cpSync(sample, cwd, { recursive: true });
      const script = isCommand ? path.join(directory, "node_modules", name, bins[0]) : file;
      const flags = isCommand ? ["pack", "--show", "--budget", "2000"] : [];
      try {
        const printed = runCommand([...command, script, ...flags], { cwd, timeout: 120_000 });
        return differenceOf(isCommand ? undefined : shownOutput(readme), printed);
      } catch (error) {
        return error.message;
      }
    },
    billOfMaterials() {
      // As after publishing; npm calls an overridden dependency invalid.
      const published = names.map((given) => [
        given,
        tarballs[given] === undefined ? "*" : version,
      ]);
      const manifest = { name: "trial", version, dependencies: Object.fromEntries(published) };
      fs.writeFileSync(path.join(directory, "package.json"), JSON.stringify(manifest));
      return runCommand(["npm", "sbom", "--sbom-format", "cyclonedx"], { cwd: directory });
    },
  };
}

/** What the first block of such commands installs, without lines that only one entry needs. */
function installedNames(readme) {
  const blocks = Array.from(readme.matchAll(/```sh\n([^]*?)```/g), ([, block]) => block);
  const block = blocks.find((each) => each.includes("npm install ")) ?? "";
  return block
    .split("\n")
    .filter((line) => line.startsWith("npm install ") && !/#.*\bonly\b/.test(line))
    .flatMap((line) => line.replace(/#.*/, "").trim().split(/\s+/).slice(2))
    .filter((word) => !word.startsWith("-"));
}

/** The output directly after the first program, if there is one. */
function shownOutput(readme) {
  return /^```ts\r?\n[\s\S]*?^```\n\n```text\n([\s\S]*?)^```/m.exec(readme)?.[1];
}

function differenceOf(shown, printed) {
  if (shown === undefined || shown.trim() === printed.trim()) return undefined;
  return `The README shows another output than the program prints:\n${printed}`;
}
