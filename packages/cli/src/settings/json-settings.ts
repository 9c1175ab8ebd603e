import { isRecord, type JsonRecord, parseJson } from "@ccl/core/json";

import { CliError } from "../cli-error.ts";
import type { ClientSettings } from "./change-settings.ts";

/** A JSON file of a client. Gives undefined where nothing is to be changed. */
export type JsonEdit = (settings: JsonRecord, isRemoval: boolean) => JsonRecord | undefined;

/**
 * Settings in JSON, which keep their indent. A file with comments is refused rather than stripped of them; the error says what
 * to add `byHand`.
 */
export function jsonSettings(path: string, byHand: string, change: JsonEdit): ClientSettings {
  return {
    path,
    edit(text, isRemoval) {
      const settings = text.trim() === "" ? {} : parseJson(text);
      const hint = `${path} holds no plain JSON object (comments?). Add this to ${byHand}`;
      if (!isRecord(settings)) throw new CliError("usage", hint);
      const next = change(settings, isRemoval);
      if (next === undefined) return text;
      if (isRemoval && Object.keys(next).length === 0) return "";
      const indent = /^\s*\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? "  ";
      return `${JSON.stringify(next, null, indent)}${text === "" || text.endsWith("\n") ? "\n" : ""}`;
    },
  };
}

/** The settings with a member that holds `value`, or without it where that is empty. */
export function withMember(settings: JsonRecord, name: string, value: JsonRecord): JsonRecord {
  const { [name]: _, ...rest } = settings;
  return Object.keys(value).length === 0 ? rest : { ...settings, [name]: value };
}
