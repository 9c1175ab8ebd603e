import { homedir } from "node:os";
import { join } from "node:path";

/** Returns the user's home folder. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  return env["HOME"] ?? env["USERPROFILE"] ?? homedir();
}

/** Returns the folder for program settings by the XDG convention. */
export function configOf(env: NodeJS.ProcessEnv): string {
  return env["XDG_CONFIG_HOME"] || join(homeOf(env), ".config");
}

/** Returns the folder in which Claude Code stores settings and sessions. */
export function claudeOf(env: NodeJS.ProcessEnv): string {
  return env["CLAUDE_CONFIG_DIR"] ?? join(homeOf(env), ".claude");
}

/** Returns the folder in which Codex stores settings, its login and sessions. */
export function codexOf(env: NodeJS.ProcessEnv): string {
  return env["CODEX_HOME"] ?? join(homeOf(env), ".codex");
}
