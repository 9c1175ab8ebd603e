import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";
import { readJsonText } from "./json-text.ts";

/** A file of another program's settings, and how ccl stands in it. Both edits leave all else as it is, byte for byte. */
export interface ClientSettings {
  path: string;
  /** The text with ccl in it. @throws CliError `usage` for a text that can't be edited; says what to write by hand */
  edit(text: string): string;
  /** The text without ccl; "" for a file that would hold nothing. `kept` are paths that stay where they become empty. */
  remove(text: string, kept?: readonly string[]): string;
}

/** The settings for the user, or for the project alone. */
export type SettingsOf = (session: Session, isForProject: boolean) => ClientSettings;

/** Edits of a text and the value that it holds. */
interface JsonEdits {
  edit(text: string, value: unknown): string;
  remove(text: string, value: unknown, kept: readonly string[] | undefined): string;
}

/** Settings in JSON, with or without comments; an error says what to add by hand. */
export function jsonSettings(path: string, byHand: string, edits: JsonEdits): ClientSettings {
  const guarded = (text: string, change: (value: unknown) => string): string => {
    try {
      return change(text.trim() === "" ? {} : readJsonText(text).value);
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      const message = `${path} can't be edited: ${cause.message} Add this to it by hand: ${byHand}`;
      throw new CliError("usage", message, { cause });
    }
  };
  return {
    path,
    edit: (text) => guarded(text, (value) => edits.edit(text, value)),
    remove: (text, kept) =>
      text.includes("ccl") ? guarded(text, (value) => edits.remove(text, value, kept)) : text,
  };
}
