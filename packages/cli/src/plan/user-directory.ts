import { homedir } from "node:os";
import { join } from "node:path";

import type { Session } from "../session.ts";

/** Preferences of the person, beside all projects. */
export function userDirectory({ terminal: { env, platform } }: Session): string {
  const given = platform === "win32" ? env["APPDATA"] : env["XDG_CONFIG_HOME"];
  return join(
    given === undefined || given === "" ? join(env["HOME"] ?? homedir(), ".config") : given,
    "ccl",
  );
}
