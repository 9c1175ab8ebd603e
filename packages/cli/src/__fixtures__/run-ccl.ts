import { EventEmitter } from "node:events";

import { runCli } from "../run-cli.ts";
import type { OutputStream } from "../session.ts";

/** The result of a command line. */
export interface CclRun {
  code: number;
  stdout: string;
  stderr: string;
}

/** Environment of a command line. */
export interface RunCclOptions {
  cwd: string;
  /** Piped into the command. */
  stdin?: string;
  isTerminal?: boolean;
  env?: Record<string, string>;
  /** Called with each text written to stderr. */
  onError?: (text: string) => void;
  /** Interrupts the command like Ctrl-C, or with `signals`. */
  interrupt?: AbortSignal;
  signals?: readonly string[];
}

/** Runs a command line in this process. */
export async function runCcl(args: string[], options: RunCclOptions): Promise<CclRun> {
  const run = { stdout: "", stderr: "" };
  const isTTY = options.isTerminal === true;
  const streamOf = (name: "stdout" | "stderr"): OutputStream => ({
    isTTY,
    write: (text) => {
      run[name] += text;
      if (name === "stderr") options.onError?.(text);
    },
    on: () => undefined,
  });
  const { stdin } = options;
  const terminal = Object.assign(new EventEmitter(), {
    stdin: { isTTY: false, ...(stdin === undefined ? {} : { [Symbol.asyncIterator]: () => piecesOf(stdin) }) },
    stdout: streamOf("stdout"),
    stderr: streamOf("stderr"),
    env: { HOME: options.cwd, ...options.env },
    platform: process.platform,
    cwd: () => options.cwd,
  });
  options.interrupt?.addEventListener("abort", () => {
    for (const name of options.signals ?? ["SIGINT"]) terminal.emit(name);
  });
  return { code: await runCli(args, terminal), ...run };
}

/** Splits text into pieces, possibly within a character. */
async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}
