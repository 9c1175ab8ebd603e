import type { ResourceRecord } from "../record/resource-record.ts";

const maxSteps = 4;

/**
 * Returns ids that a record's foreign keys may refer to, best guess first. For example, `public.users.id` in
 * `res:db.pg.main.public.orders` refers to `res:db.pg.main.public.users`. A key may also be an id, with or without
 * a column.
 */
export function foreignKeyTargets(record: ResourceRecord): string[][] {
  const keys = new Set<string>();
  for (const { fk } of record.columns ?? []) if (typeof fk === "string" && fk !== "") keys.add(fk);
  return [...keys].map((key) => targetsOfKey(record.id, key));
}

/** Returns ids that one foreign key of a resource may refer to, best guess first. */
export function targetsOfKey(id: string, key: string): string[] {
  const table = withoutLastStep(key);
  if (key.includes(":")) return table === "" ? [key] : [key, table];
  const found: string[] = [];
  for (const name of table === "" ? [key] : [table, key]) {
    let parent = id;
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const cut = Math.max(
        parent.lastIndexOf("."),
        parent.lastIndexOf("/"),
        parent.lastIndexOf(":"),
      );
      if (cut < 0) break;
      found.push(parent.slice(0, cut + 1) + name);
      parent = parent.slice(0, cut);
    }
  }
  return found.filter((target) => target !== id);
}

function withoutLastStep(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(".")));
}
