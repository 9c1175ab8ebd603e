import { CclError, type Issue } from "@ccl/core";
import { isRecord } from "@ccl/core/json";
import { CommanderError } from "commander";

import { CliError, messageOf, usageError } from "./cli-error.ts";
import type { ExitCode } from "./exit-code.ts";
import { exitCodeOf } from "./exit-code-of.ts";
import { jsonOf, printableLines } from "./output/text.ts";
import { styleOf } from "./output/style.ts";
import type { CommandResult, OutputStream, Shown, Terminal } from "./session.ts";

/** Prints the result of a command, as text or JSON. */
export function reportResult(result: CommandResult, isJson: boolean, terminal: Terminal): void {
  const { stdout, stderr } = terminal;
  writeShown(isJson ? jsonOf(result.document) : result.text, stdout, terminal);
  if (!isJson) writeShown(result.note, stderr, terminal);
}

function writeShown(shown: Shown = "", stream: OutputStream, { env }: Terminal): void {
  const text = typeof shown === "string" ? shown : shown(styleOf(stream, env));
  if (text !== "") stream.write(text);
}

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
  const document = errorDocument(failure);
  const { stdout, stderr, env } = terminal;
  if (isJson) stdout.write(jsonOf(document));
  else if (!isHelp(error)) {
    const { colours } = styleOf(stderr, env);
    stderr.write(`${colours.red("ccl:")} ${printableLines(document.error.message)}\n`);
  }
  return exitCodeOf(failure);
}

function toFailure(error: unknown, isInterrupted: boolean): unknown {
  if (isInterrupted)
    return new CliError("aborted", "Interrupted. No file was left half-written.", { cause: error });
  if (isHelp(error)) return usageError('Name a command. "ccl --help" lists them.');
  if (!(error instanceof CommanderError)) return error;
  return usageError(error.message.replace(/^error: /, ""), error);
}

/** True if commander itself printed the help to stderr, as it does without a command. */
function isHelp(error: unknown): boolean {
  return error instanceof CommanderError && error.code === "commander.help";
}

/** The document that `--json` prints when a command fails. */
interface ErrorDocument {
  error: {
    /** The error code of the library or the command. `unexpected` for anything else. */
    code: string;
    message: string;
    issues?: Issue[] | undefined;
  };
}

function errorDocument(error: unknown): ErrorDocument {
  const message = messageOf(error);
  if (!CclError.isInstance(error)) return { error: { code: "unexpected", message } };
  const given = isRecord(error.details) ? error.details["issues"] : undefined;
  const issues = Array.isArray(given) ? given.filter(isIssue) : undefined;
  return { error: { code: error.code, message, issues } };
}

function isIssue(value: unknown): value is Issue {
  return isRecord(value) && "code" in value && "message" in value && "path" in value;
}
