import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { writeFileDurable } from "@ccl/core/node";
import { isRecord, parseJson } from "@ccl/core/json";
import type { SavedPlan, ValidPlan } from "@ccl/plan-protocol";

import { CliError } from "../cli-error.ts";
import type { Session } from "../session.ts";

/** The change that `ccl gen` showed last and did not make; undefined for none. */
export async function readSavedChange(session: Session): Promise<string | undefined> {
  return await read(session, "change.json");
}

/** Keeps a change for `ccl plan apply`. Gives the path that it is kept under. */
export async function saveChange(session: Session, plan: ValidPlan): Promise<string> {
  return await save(session, "change.json", planText(plan));
}

/** Forgets change and steps: they were applied. */
export async function forgetSaved(session: Session): Promise<void> {
  for (const name of ["change.json", "steps.json"])
    await rm(join(placeOf(session), name), { force: true });
}

/** The steps that `ccl gen --plan-only` saved; undefined for none. */
export async function readSavedSteps(session: Session): Promise<SavedPlan | undefined> {
  const text = await read(session, "steps.json");
  if (text === undefined) return undefined;
  const value = parseJson(text);
  if (isSavedPlan(value)) return value;
  throw new CliError(
    "usage",
    `${join(placeOf(session), "steps.json")} is damaged. Remove it, or ask for a plan again with --plan-only.`,
  );
}

/** Keeps steps for a later `ccl gen ok`. */
export async function saveSteps(session: Session, saved: SavedPlan): Promise<string> {
  return await save(session, "steps.json", `${JSON.stringify(saved, null, 2)}\n`);
}

/** A plan as a model writes one: the mode is no part of it. */
export function planText({ mode: _mode, ...plan }: ValidPlan): string {
  const withoutRemarks = (key: string, value: unknown): unknown =>
    key === "remarks" ? undefined : value;
  return `${JSON.stringify(plan, withoutRemarks, 2)}\n`;
}

function placeOf({ root }: Session): string {
  return join(root, ".ccl", "plans");
}

async function read(session: Session, name: string): Promise<string | undefined> {
  return await readFile(join(placeOf(session), name), "utf8").catch(() => undefined);
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
