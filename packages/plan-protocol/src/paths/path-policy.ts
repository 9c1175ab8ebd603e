import type { PathAllowList } from "./path-allow-list.ts";

/** Whose rules on names count: Windows, macOS, or any other system. */
export type FileSystemKind = "win32" | "darwin" | "posix";

/** Which paths a plan may name. */
export interface PathPolicy {
  /** Default true: only names that mean the same file on Windows, macOS and Linux. */
  portable?: boolean | undefined;
  /** With `portable: false`: whose names are allowed. Default `posix`. */
  system?: FileSystemKind | undefined;
  /** Reads `./src/a.ts` as `src/a.ts`; default false, which refuses it. */
  allowsLeadingDot?: boolean | undefined;
  /** Off by default; what it does not allow is `FORBIDDEN_PATH`. */
  allowList?: PathAllowList | undefined;
}
