import type { PathUse } from "../paths/path-allow-list.ts";
import type { ActionKind, PlanAction, PlanVersion } from "./plan.ts";

/** All versions, lowest first. */
export const planVersions: readonly PlanVersion[] = [1, 2, 3];

/** The version of a plan that states none. */
export const defaultPlanVersion: PlanVersion = 2;

type ActionField = Exclude<keyof PlanAction, "kind" | "path">;

interface KindRow {
  /** The first version that has this kind. */
  since: PlanVersion;
  fields: readonly ActionField[];
  /** Fields that may be omitted. */
  optional?: readonly ActionField[];
}

/** The fields of each kind. */
export const actionKinds: Readonly<Record<ActionKind, KindRow>> = {
  CREATE_FILE: { since: 1, fields: ["content"] },
  CREATE_DIR: { since: 1, fields: [] },
  UPDATE_FILE: { since: 1, fields: ["content"] },
  DELETE_FILE: { since: 1, fields: [] },
  DELETE_DIR: { since: 1, fields: [] },
  PATCH_FILE: { since: 2, fields: ["patch", "base_sha256"] },
  EDIT_FILE: { since: 3, fields: ["base_sha256", "edits"] },
  MOVE_FILE: {
    since: 2,
    fields: ["to", "patch", "base_sha256"],
    optional: ["patch", "base_sha256"],
  },
};

/** Returns how this kind of action uses its path. */
export function pathUseOf(kind: ActionKind): PathUse {
  if (kind === "DELETE_FILE" || kind === "MOVE_FILE") return "delete";
  return actionKinds[kind].fields.length === 0 ? "folder" : "write";
}

/** Returns a version's kinds. */
export function kindsOf(version: PlanVersion): ActionKind[] {
  return Object.keys(actionKinds).filter((kind) => isActionKind(kind, version));
}

/** True if the version has this kind. */
export function isActionKind(kind: unknown, version: PlanVersion): kind is ActionKind {
  return typeof kind === "string" && isKnownKind(kind) && actionKinds[kind].since <= version;
}

function isKnownKind(kind: string): kind is ActionKind {
  return Object.hasOwn(actionKinds, kind);
}
