import { CommanderError } from "commander";

import { CliError, usageError } from "./cli-error.ts";
import type { ExitCode } from "./exit-code.ts";
import { exitCodeOf } from "./exit-code-of.ts";
import { errorDocument } from "./output/error-document.ts";
import { printableLines } from "./output/text.ts";
import { styleOf } from "./output/style.ts";
import type { Terminal } from "./session.ts";

/** Prints what a command threw, once, as text or JSON. */
export function reportFailure(
  error: unknown,
  {
    isInterrupted,
    isJson,
    terminal,
  }: { isInterrupted: boolean; isJson: boolean; terminal: Terminal },
): ExitCode {
  const failure = toFailure(error, isInterrupted);
  if (!isHelp(error) || isJson) writeError(failure, isJson, terminal);
  return exitCodeOf(failure);
}

function writeError(error: unknown, isJson: boolean, terminal: Terminal): void {
  const document = errorDocument(error);
  if (isJson) {
    terminal.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return;
  }
  const { colours } = styleOf(terminal.stderr, terminal.env);
  terminal.stderr.write(`${colours.red("ccl:")} ${printableLines(document.error.message)}\n`);
}

function toFailure(error: unknown, isInterrupted: boolean): unknown {
  if (isInterrupted)
    return new CliError("aborted", "Interrupted; nothing was left half-written.", { cause: error });
  if (isHelp(error)) return usageError('Name a command. "ccl --help" lists them.');
  if (!(error instanceof CommanderError)) return error;
  return usageError(error.message.replace(/^error: /, ""), error);
}

/** True if commander itself printed the help to stderr, as it does without a command. */
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.code === "commander.help";
}
