import { homedir } from "node:os";
import { join } from "node:path";

/** Where the user's own files are. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env["HOME"] ?? env["USERPROFILE"] ?? homedir();
}

/** Where programs keep settings by the XDG convention. */
export function configOf(env: NodeJS.ProcessEnv): string {
  return env["XDG_CONFIG_HOME"] || join(homeOf(env), ".config");
}

/** Where Claude Code keeps settings and sessions. */
export function claudeOf(env: NodeJS.ProcessEnv): string {
  return env["CLAUDE_CONFIG_DIR"] ?? join(homeOf(env), ".claude");
}

/** Where Codex keeps settings, its login and sessions. */
export function codexOf(env: NodeJS.ProcessEnv): string {
  return env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
}
