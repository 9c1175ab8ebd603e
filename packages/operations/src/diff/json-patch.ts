import { isRecord } from "@ccl/core/json";
import { editScript } from "./edit-script.ts";

/** A step of a JSON Patch (RFC 6902); `path` is a JSON Pointer. */
export type JsonPatchOperation =
  | { op: "add" | "replace"; path: string; value: unknown }
  | { op: "remove"; path: string };

/** What turns one JSON value into another. Items of lists that stay are found again where others come or go. */
export function jsonPatch(before: unknown, after: unknown): JsonPatchOperation[] {
  const patch: JsonPatchOperation[] = [];
  const ids = createValueIds();
  const compare = (left: unknown, right: unknown, path: string): void => {
    if (ids(left) === ids(right)) return;
    if (Array.isArray(left) && Array.isArray(right)) compareLists(left, right, path);
    else if (isRecord(left) && isRecord(right)) compareObjects(left, right, path);
    else patch.push({ op: "replace", path, value: right });
  };
  const compareObjects = (left: JsonObject, right: JsonObject, path: string): void => {
    for (const key of Object.keys(left)) {
      const at = `${path}/${pointerPart(key)}`;
      if (Object.hasOwn(right, key)) compare(left[key], right[key], at);
      else patch.push({ op: "remove", path: at });
    }
    for (const key of Object.keys(right)) {
      if (!Object.hasOwn(left, key))
        patch.push({ op: "add", path: `${path}/${pointerPart(key)}`, value: right[key] });
    }
  };
  const compareLists = (
    left: readonly unknown[],
    right: readonly unknown[],
    path: string,
  ): void => {
    let [gone, come] = [0, 0];
    // Where the next item of each list stands. All before `to` is as it has to be.
    let [from, to] = [0, 0];
    const settle = (): void => {
      const paired = Math.min(gone, come);
      for (let index = 0; index < paired; index += 1)
        compare(left[from + index], right[to + index], `${path}/${to + index}`);
      for (let index = paired; index < come; index += 1) {
        patch.push({ op: "add", path: `${path}/${to + index}`, value: right[to + index] });
      }
      for (let index = paired; index < gone; index += 1)
        patch.push({ op: "remove", path: `${path}/${to + paired}` });
      [from, to, gone, come] = [from + gone, to + come, 0, 0];
    };
    for (const { kind, count } of editScript(left.map(ids), right.map(ids))) {
      if (kind === "removed") gone += count;
      else if (kind === "added") come += count;
      else {
        settle();
        [from, to] = [from + count, to + count];
      }
    }
    settle();
  };
  compare(before, after, "");
  return patch;
}

type JsonObject = Record<string, unknown>;

function pointerPart(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Numbers for JSON values, the same for equal ones. Each object is read once, however often it is asked for. */
function createValueIds(): (value: unknown) => number {
  const ids = new Map<string, number>();
  const known = new Map<object, number>();
  const idOf = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return idOfText(JSON.stringify(value));
    const seen = known.get(value);
    if (seen !== undefined) return seen;
    const id = idOfText(
      Array.isArray(value) ? `[${value.map(idOf).join()}` : `{${fieldsOf(value).join()}`,
    );
    known.set(value, id);
    return id;
  };
  const fieldsOf = (value: object): string[] =>
    Object.entries(value)
      .map(([key, field]) => `${JSON.stringify(key)}:${idOf(field)}`)
      .sort();
  const idOfText = (text: string): number => {
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  };
  return idOf;
}
