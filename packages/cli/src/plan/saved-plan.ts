import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { writeFileDurable } from "@ccl/core/node";
import { isRecord, parseJson } from "@ccl/core/json";
import { type SavedPlan, type ValidPlan, withoutRemarks } from "@ccl/plan-protocol";

import { usageError } from "../cli-error.ts";
import { jsonOf } from "../output/text.ts";
import type { Session } from "../session.ts";

/** Reads the last change that `ccl gen` showed but did not apply. Undefined if there is none. */
export function readSavedChange(session: Session): Promise<string | undefined> {
  return read(session, "change.json");
}

/** Saves a change for `ccl plan apply`. Returns its path. */
export function saveChange(session: Session, plan: ValidPlan): Promise<string> {
  return save(session, "change.json", planText(plan));
}

/** Removes the saved change and steps after they were applied. */
export async function forgetSaved(session: Session): Promise<void> {
  for (const name of ["change.json", "steps.json"])
    await rm(join(placeOf(session), name), { force: true });
}

/** Reads the steps that `ccl gen --plan-only` saved. @throws CliError `usage` if there are none, or if they are damaged */
export async function readSavedSteps(session: Session): Promise<SavedPlan> {
  const text = await read(session, "steps.json");
  if (text === undefined)
    throw usageError('No plan is saved here. "ccl gen GOAL --plan-only" saves one.');
  const value = parseJson(text);
  if (isSavedPlan(value)) return value;
  throw usageError(
    `${join(placeOf(session), "steps.json")} is damaged. Remove it, or ask for a plan again with --plan-only.`,
  );
}

/** Saves steps for a later `ccl gen ok`. */
export function saveSteps(session: Session, saved: SavedPlan): Promise<string> {
  return save(session, "steps.json", jsonOf(saved));
}

/** Writes a plan in the form in which a model writes it, without the mode. */
export function planText(plan: ValidPlan): string {
  return jsonOf({ ...withoutRemarks(plan), mode: undefined });
}

function placeOf({ root }: Session): string {
  return join(root, ".ccl", "plans");
}

function read(session: Session, name: string): Promise<string | undefined> {
  return readFile(join(placeOf(session), name), "utf8").catch(() => undefined);
}

async function save(session: Session, name: string, text: string): Promise<string> {
  const place = placeOf(session);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, ".gitignore"), "*\n", { flag: "wx" }).catch(() => undefined);
  await writeFileDurable(join(place, name), text);
  return join(place, name);
}

function isSavedPlan(value: unknown): value is SavedPlan {
  return (
    isRecord(value) &&
    [value["goal"], value["summary"]].every((text) => typeof text === "string") &&
    Array.isArray(value["context"])
  );
}
