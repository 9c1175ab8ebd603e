import { stat } from "node:fs/promises";
import { resolve } from "node:path";

import { CliError } from "./cli-error.ts";
import { createProgress, type Progress } from "./output/progress.ts";
import { styleOf, type Style } from "./output/style.ts";

/** Where text goes to. */
export interface OutputStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string, done?: () => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** Where text comes from; one that cannot be read is taken for empty hands, not for an empty text. */
interface InputStream {
  isTTY?: boolean | undefined;
  [Symbol.asyncIterator]?(): AsyncIterator<string | Uint8Array>;
}

/** The part of `process` that commands see. */
export interface Terminal {
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** Node, and the file that it runs. */
  argv?: readonly string[] | undefined;
  cwd(): string;
}

/** Flags that every command takes. */
export interface GlobalFlags {
  root?: string | undefined;
  directory?: string | undefined;
  json?: boolean | undefined;
}

/** What a command runs in. */
export interface Session {
  /** The project's root, absolute. */
  root: string;
  /** The folder of context files, relative to the root. */
  directory: string;
  isJson: boolean;
  /** True: what is read stays as it is, caches included. */
  isReadOnly?: boolean | undefined;
  /** Aborted when the user interrupts. */
  signal: AbortSignal;
  /** Said before files are changed: from then on a second interrupt waits for the end of the work, as the first does. */
  forbidExit: () => void;
  terminal: Terminal;
  /** How stderr is written to. */
  noteStyle: Style;
  progress: Progress;
}

/** What a session is made from beside the global flags. */
export type SessionParts = Pick<Session, "terminal" | "signal"> &
  Partial<Pick<Session, "forbidExit">>;

/** Reads the global flags; the root must be a folder. */
export async function openSession(
  flags: GlobalFlags,
  { terminal, signal, forbidExit = () => undefined }: SessionParts,
): Promise<Session> {
  const root = resolve(terminal.cwd(), flags.root ?? ".");
  const found = await stat(root).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    throw new CliError("usage", `There is no folder at ${root}. Pass an existing folder to -C.`);
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
