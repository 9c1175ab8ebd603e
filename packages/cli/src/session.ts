import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { usageError } from "./cli-error.ts";
import { createProgress, type Progress } from "./output/progress.ts";
import { styleOf, type Style } from "./output/style.ts";

/** A destination of text. */
export interface OutputStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string, done?: () => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** A source of text. An unreadable source counts as no input, not as empty text. */
interface InputStream {
  isTTY?: boolean | undefined;
  [Symbol.asyncIterator]?(): AsyncIterator<string | Uint8Array>;
}

/** The part of `process` that commands use. */
export interface Terminal {
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** Node's path, and the file that it runs. */
  argv?: readonly string[] | undefined;
  cwd(): string;
}

/** Flags that every command takes. */
export interface GlobalFlags {
  root?: string | undefined;
  directory?: string | undefined;
  json?: boolean | undefined;
}

/** The context of a command. */
export interface Session {
  /** The project's root, absolute. */
  root: string;
  /** The folder of context files, relative to the root. */
  directory: string;
  isJson: boolean;
  /** If true, the command must write nothing, not even caches. */
  isReadOnly?: boolean | undefined;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** Call before changing files. From then on a second interrupt also waits until the work has ended. */
  forbidExit: () => void;
  terminal: Terminal;
  /** The style of stderr. */
  noteStyle: Style;
  progress: Progress;
}

/** A string, or a function that creates one for the style of its stream. */
export type Shown = string | ((style: Style) => string);

/** The output of a command. The runner decides which part goes to which stream. */
export interface CommandResult {
  /** The JSON document of `--json`. Field names are part of the public interface. */
  document: object;
  /** Text for stdout without `--json`. */
  text?: Shown | undefined;
  /** Remarks for people, on stderr without `--json`. */
  note?: Shown | undefined;
  /** True if files were changed permanently. A later interrupt then does not change the exit code. */
  isCommitted?: boolean | undefined;
  /**
   * True if application code ran that may keep the process alive. The process then exits once all output is written.
   */
  endsProcess?: boolean | undefined;
  /** An exit code of ccl, or that of the command that was run. Default: ok. */
  exitCode?: number | undefined;
}

/** What a session needs in addition to the global flags. */
type SessionParts = Pick<Session, "terminal" | "signal"> & Partial<Pick<Session, "forbidExit">>;

/** Reads the global flags. The root must be a folder. */
export async function openSession(
  flags: GlobalFlags,
  { terminal, signal, forbidExit = () => undefined }: SessionParts,
): Promise<Session> {
  const root = resolve(terminal.cwd(), flags.root ?? ".");
  const found = await stat(root).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw usageError(`There is no folder at ${root}. Pass an existing folder to -C.`);
  }
  return {
    root,
    directory: flags.directory ?? ".ccl",
    isJson: flags.json === true,
    signal,
    forbidExit,
    terminal,
    noteStyle: styleOf(terminal.stderr, terminal.env),
    progress: createProgress(terminal.stderr, terminal.env),
  };
}
