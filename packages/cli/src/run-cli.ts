import { CommanderError } from "commander";

import { EXIT_CODES } from "./exit-code.ts";
import { createProgram } from "./program.ts";
import type { Session, Terminal } from "./session.ts";

type Interrupt = "SIGINT" | "SIGTERM" | "SIGHUP";

/** The source of interrupts: `process`, or a test double. */
export interface InterruptSource {
  on(name: Interrupt, listener: () => void): unknown;
}

/** The completion script calls `ccl complete -- <words>`. */
const completionHelp = "print the completion script for zsh, bash, fish or powershell";

const INTERRUPTS: Interrupt[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs one command line and returns the exit code. Output is written, but not necessarily flushed, when it resolves.
 */
export async function runCli(
  argv: string[],
  terminal: Terminal & InterruptSource,
): Promise<number> {
  const interruption = listenForInterrupts(terminal);
  // Work continues if the reader has stopped (`ccl pack | head`) or the terminal is closed.
  for (const stream of [terminal.stdout, terminal.stderr])
    stream.on("error", (error) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
    });
  let exitCode: number = EXIT_CODES.ok;
  const program = createProgram(terminal, async (flags, command) => {
    const { openSession } = await import("./session.ts");
    const session = await openSession(flags, { terminal, ...interruption });
    try {
      const result = await command(session);
      if (!result.isCommitted) interruption.signal.throwIfAborted();
      exitCode = result.exitCode ?? EXIT_CODES.ok;
      session.progress.clear();
      const { reportResult } = await import("./report.ts");
      reportResult(result, session.isJson, terminal);
      if (result.endsProcess) terminal.stdout.write("", () => process.exit(exitCode));
    } finally {
      session.progress.clear();
    }
  });
  try {
    if (argv[0] === "complete") (await import("@bomb.sh/tab/commander")).default(program);
    else program.command("complete [shell]").description(completionHelp);
    await program.parseAsync(isBare(argv) ? [...argv, "look"] : argv, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok;
    const { reportFailure } = await import("./report.ts");
    const isInterrupted = interruption.signal.aborted;
    return reportFailure(error, { isInterrupted, isJson: isJsonAsked(argv), terminal });
  }
  return exitCode;
}

/** True if there are only global flags. */
function isBare(argv: string[]): boolean {
  const takesValue = /^(?:-C|--root|--directory)$/;
  return argv.every(
    (word, at) =>
      /^(?:-C.+|--json|--root=.*|--directory=.*)$/.test(word) ||
      takesValue.test(word) ||
      takesValue.test(argv[at - 1] ?? ""),
  );
}

/** Looks for `--json` in the raw arguments, so that errors are JSON even if parsing fails. */
function isJsonAsked(argv: string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes("--json");
}

/** Listens for the lifetime of the process. An interrupt after the last step does not change the exit code. */
function listenForInterrupts(source: InterruptSource): Pick<Session, "signal" | "forbidExit"> {
  const controller = new AbortController();
  let mayExit = true;
  const onSignal = (): void => {
    if (!controller.signal.aborted) controller.abort();
    else if (mayExit) process.exit(EXIT_CODES.interrupted);
  };
  for (const name of INTERRUPTS) source.on(name, onSignal);
  const forbidExit = (): void => {
    mayExit = false;
  };
  return { signal: controller.signal, forbidExit };
}
