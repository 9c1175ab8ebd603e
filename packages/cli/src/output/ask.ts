import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** True if a user is at the terminal and can answer. */
export function canAsk({ isJson, terminal: { stdin, stdout, env } }: Session): boolean {
  return !isJson && stdin.isTTY === true && stdout.isTTY === true && !env["CI"];
}

/** Asks for confirmation. @throws CliError `aborted` for any answer except yes */
export async function ask(
  { signal }: Session,
  message: string,
  initialValue = true,
): Promise<void> {
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message, initialValue, signal });
  if (prompts.isCancel(answer) || !answer) throw new CliError("aborted", "Nothing was changed.");
}
