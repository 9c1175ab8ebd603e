// Runs a tutorial as a program: writes its files, runs its commands in one shell, and compares their output with the
// page.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

import { withInstallBlocks } from "./install-blocks.mjs";

const timeoutMs = 120_000;

/**
 * Runs the page's blocks in `directory`, whose `node_modules` has what the page installs. A block marked `js [name]` is
 * a file. `sh` is run unless it is marked `no-run`. A `text` block is the output of the commands before it (`text
 * like`: except for the numbers).
 */
export async function runPage(markdown, { directory }) {
  const steps = stepsOf(withInstallBlocks(markdown, { isPublished: true }));
  for (const { file, text } of steps.filter((step) => step.file !== undefined))
    fs.writeFileSync(path.join(directory, file), text);
  const commands = steps.filter((step) => step.commands !== undefined);
  const mark = randomUUID();
  const script = [
    "set -e",
    'npx() { [ "$1" = @ccl/cli ] && shift && node node_modules/@ccl/cli/dist/ccl.js "$@"; }',
    // Installed packages are checked, not fetched again.
    'npm() { [ "$1" = install ] || return 0; shift; for name in "$@"; do case "$name" in -*) continue ;; esac; [ -e "node_modules/$name/package.json" ] || { echo "$name is not installed" >&2; return 1; }; done; }',
    ...commands.map((step) => `${step.commands}\necho ${mark}`),
  ].join("\n");
  const { output, errors, code } = await runScript(script, directory);
  const printed = output.split(`${mark}\n`);
  const wrong = commands.filter(
    ({ expected, normalize }, at) =>
      expected !== undefined && normalize(expected) !== normalize(printed[at] ?? ""),
  );
  if (code !== 0)
    throw new Error(`exit code ${code}\n${errors.slice(-2_000)}\n${output.slice(-2_000)}`);
  if (wrong.length > 0)
    throw new Error(
      wrong
        .map(
          (step) =>
            `${step.commands}\nprints\n${printed[commands.indexOf(step)]}\nand not\n${step.expected}`,
        )
        .join("\n"),
    );
  return commands.length;
}

function stepsOf(markdown) {
  const steps = [];
  for (const [, info, text] of markdown.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)) {
    const file = /^js \[([\w.-]+)\]$/.exec(info)?.[1];
    if (file !== undefined) steps.push({ file, text });
    else if (info === "sh") steps.push({ commands: text.trimEnd() });
    else if (info === "text" || info === "text like") {
      const last = steps.at(-1);
      if (last?.commands === undefined) throw new Error(`no command before the output:\n${text}`);
      last.expected = text;
      last.normalize = (given) => (info === "text" ? given : given.replaceAll(/\d+/g, "N")).trim();
    }
  }
  return steps;
}

/** Runs in its own process group, so that background processes of the page end with it. */
function runScript(script, cwd) {
  return new Promise((resolve, reject) => {
    const home = path.join(cwd, "home");
    fs.mkdirSync(home, { recursive: true });
    const env = {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: home,
      NO_COLOR: "1",
      FORCE_COLOR: undefined,
    };
    const child = spawn("bash", ["-c", script], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const end = () => {
      try {
        process.kill(-child.pid);
      } catch {
        // The whole group has already ended.
      }
    };
    const timer = setTimeout(end, timeoutMs);
    let output = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
    child.on("error", reject);
    child.on("exit", end);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ output, errors, code });
    });
  });
}
