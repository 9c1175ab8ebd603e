import type { Style } from "./style.ts";

/** The output of a command. The runner decides which part goes to which stream. */
export interface CommandResult {
  /** The JSON document of `--json`. Field names are part of the public interface. */
  document: object;
  /** For stdout without `--json`. */
  text?: ((style: Style) => string) | undefined;
  /** For people, on stderr without `--json`. */
  note?: ((style: Style) => string) | undefined;
  /** True if files were changed permanently. A later interrupt then does not change the exit code. */
  isCommitted?: boolean | undefined;
  /**
   * True if application code ran that may keep the process alive. The process then exits once all output is written.
   */
  endsProcess?: boolean | undefined;
  /** An exit code of ccl, or that of the command that was run. Default: ok. */
  exitCode?: number | undefined;
}
