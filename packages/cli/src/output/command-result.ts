import type { Style } from "./style.ts";

/** What a command has to say. The runner decides which part goes where. */
export interface CommandResult {
  /** The one JSON document of `--json`; field names are part of the public interface. */
  document: object;
  /** For stdout without `--json`. */
  text?: ((style: Style) => string) | undefined;
  /** For people, on stderr without `--json`. */
  note?: ((style: Style) => string) | undefined;
  /** Files were changed for good: an interrupt that comes now is too late, and the exit code says so. */
  isCommitted?: boolean | undefined;
  /** The application's own code ran, which may keep the process alive: it ends once all is written. */
  endsProcess?: boolean | undefined;
  /** One of the closed list, or that of a command that was run. Default: ok. */
  exitCode?: number | undefined;
}
