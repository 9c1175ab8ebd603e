import { realpathSync } from "node:fs";

import type { Terminal } from "./session.ts";

/** A program and its arguments. */
interface Command {
  program: string;
  args: string[];
}

/** Where a `ccl` of its own lies: outside of `node_modules`, it runs from a clone of its repository. */
function fileOfClone({ argv = [] }: Pick<Terminal, "argv">): string | undefined {
  const file = argv[1] === undefined ? undefined : realpathSync(argv[1]);
  return file === undefined || /[\\/]node_modules[\\/]/.test(file) ? undefined : file;
}

/** Starts this `ccl` again, from any folder and without a shell: by its file in a clone, else through npx. */
export function ownCommand(terminal: Pick<Terminal, "argv" | "platform">): Command {
  const file = fileOfClone(terminal);
  if (file !== undefined) return { program: "node", args: [file] };
  // Windows has no program `npx` that can be started without its shell.
  return terminal.platform === "win32"
    ? { program: "cmd", args: ["/c", "npx", "-y", "@ccl/cli"] }
    : { program: "npx", args: ["-y", "@ccl/cli"] };
}

/** The same as one writes it in a shell, where `otherwise` starts a `ccl` that is installed. */
export function ownWords(terminal: Pick<Terminal, "argv">, otherwise = "npx -y @ccl/cli"): string {
  const file = fileOfClone(terminal);
  if (file === undefined) return otherwise;
  return `node ${/[^\w./\\:-]/.test(file) ? JSON.stringify(file) : file}`;
}
