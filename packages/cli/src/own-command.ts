import { realpathSync } from "node:fs";

import type { Terminal } from "./session.ts";

/** A program and its arguments. */
interface Command {
  program: string;
  args: string[];
}

/** Returns the file of `ccl` if it runs from a clone of its repository, that is, outside of `node_modules`. */
function fileOfClone({ argv = [] }: Pick<Terminal, "argv">): string | undefined {
  const file = argv[1] === undefined ? undefined : realpathSync(argv[1]);
  return file === undefined || /[\\/]node_modules[\\/]/.test(file) ? undefined : file;
}

/**
 * Returns the command that starts this `ccl` again from any folder without a shell: its file in a clone, otherwise npx.
 */
export function ownCommand(terminal: Pick<Terminal, "argv" | "platform">): Command {
  const file = fileOfClone(terminal);
  if (file !== undefined) return { program: "node", args: [file] };
  // On Windows `npx` needs a shell.
  return terminal.platform === "win32"
    ? { program: "cmd", args: ["/c", "npx", "-y", "@ccl/cli"] }
    : { program: "npx", args: ["-y", "@ccl/cli"] };
}

/** Returns the same command as typed in a shell. `otherwise` starts an installed `ccl`. */
export function ownWords(terminal: Pick<Terminal, "argv">, otherwise = "npx -y @ccl/cli"): string {
  const file = fileOfClone(terminal);
  if (file === undefined) return otherwise;
  return `node ${/[^\w./\\:-]/.test(file) ? JSON.stringify(file) : file}`;
}
