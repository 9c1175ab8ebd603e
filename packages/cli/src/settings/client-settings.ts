import { usageError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { readJsonText } from "./json-text.ts";

/**
 * A settings file of another program, and how to edit it for ccl. Both edits leave the rest unchanged, byte for byte.
 */
export interface ClientSettings {
  path: string;
  /** Adds ccl to the text. @throws CliError `usage` if the text cannot be edited, with what to write by hand */
  edit(text: string): string;
  /**
   * Removes ccl from the text. Returns "" if the file would be empty. `kept` are paths that stay even if they become
   * empty.
   */
  remove(text: string, kept?: readonly string[]): string;
}

/** Returns the settings of the user or of the project. */
export type SettingsOf = (session: Session, isForProject: boolean) => ClientSettings;

/** Functions that edit a JSON text, given its value. */
interface JsonEdits {
  edit(text: string, value: unknown): string;
  remove(text: string, value: unknown, kept: readonly string[] | undefined): string;
}

/** Creates settings in JSON, with or without comments. Errors say what to add by hand. */
export function jsonSettings(path: string, byHand: string, edits: JsonEdits): ClientSettings {
  const guarded = (text: string, change: (value: unknown) => string): string => {
    try {
      return change(text.trim() === "" ? {} : readJsonText(text).value);
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      const message = `${path} can't be edited: ${cause.message} Add this to it by hand: ${byHand}`;
      throw usageError(message, cause);
    }
  };
  return {
    path,
    edit: (text) => guarded(text, (value) => edits.edit(text, value)),
    remove: (text, kept) =>
      text.includes("ccl") ? guarded(text, (value) => edits.remove(text, value, kept)) : text,
  };
}
