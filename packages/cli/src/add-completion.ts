import type { Command } from "commander";

/** `ccl complete <shell>` prints a script; the shell then calls `ccl complete -- <words>`. */
export async function addCompletion(program: Command, argv: readonly string[]): Promise<void> {
  if (argv[0] === "complete") {
    const { default: createTab } = await import("@bomb.sh/tab/commander");
    createTab(program);
    return;
  }
  program
    .command("complete [shell]")
    .description("print the completion script of zsh, bash, fish or powershell");
}
