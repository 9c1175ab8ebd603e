import { spawnSync } from "node:child_process";

/** Runs a command to its end and returns what it printed; throws with all of it when the command fails. */
export function runCommand(command, options = {}) {
  const [file, ...parameters] = command;
  const result = spawnSync(file, parameters, {
    ...options,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32" && !file.endsWith(".exe"),
  });
  if (result.error !== undefined) throw result.error;
  if (result.status === 0) return result.stdout;
  const ending = result.signal ?? `exit code ${result.status}`;
  throw new Error(`${command.join(" ")}: ${ending}\n${result.stdout}${result.stderr}`.trimEnd());
}

/** The pnpm that runs this script, or the one that npx brings. */
export function pnpmCommand() {
  const running = process.env.npm_execpath ?? "";
  return /pnpm/.test(running) ? [process.execPath, running] : ["npx", "-y", "pnpm@10"];
}
