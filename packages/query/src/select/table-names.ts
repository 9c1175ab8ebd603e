import type { ResourceDetails } from "@ccl/catalog";

/** Tables that a statement may name: each resource with columns, under all its names in lower case. */
export class TableNames {
  readonly #byName = new Map<string, ResourceDetails[]>();
  readonly #shown = new Map<ResourceDetails, readonly string[]>();

  constructor(resources: Iterable<ResourceDetails>) {
    for (const resource of resources) {
      if ((resource.columns ?? []).length === 0) continue;
      const names = namesOf(resource);
      this.#shown.set(resource, names);
      for (const name of new Set(names.map((each) => each.toLowerCase()))) {
        const known = this.#byName.get(name);
        if (known === undefined) this.#byName.set(name, [resource]);
        else known.push(resource);
      }
    }
  }

  /** Finds resources by name. If exactly one of them is in the default schema, returns only that one. */
  find(parts: readonly string[]): readonly ResourceDetails[] {
    const found = this.#byName.get(parts.join(".").toLowerCase()) ?? [];
    if (found.length < 2) return found;
    const plain = found.filter(({ uri }) => /[./](?:public|main|dbo)\.[^./]+$/.test(uri ?? ""));
    return plain.length === 1 ? plain : found;
  }

  /** Returns the shortest name that is unique to this resource. */
  nameOf(resource: ResourceDetails): string {
    const names = this.#shown.get(resource) ?? [resource.id];
    return names.find((name) => this.find(name.split(".")).length === 1) ?? resource.id;
  }

  all(): string[] {
    return [...this.#shown.keys()].map((resource) => this.nameOf(resource));
  }
}

/**
 * Returns `orders`, `public.orders`, `shop.public.orders`. For files, the name with and without extension. Then
 * the id.
 */
function namesOf(resource: ResourceDetails): string[] {
  const { uri, id } = resource;
  const address = (uri ?? id).split(/[?#]/)[0] ?? "";
  const parts = address.split("/").map(decodedPart);
  const last = parts.at(-1) ?? "";
  const names: string[] = [];
  const database = /\/db\/(?:[^/:]*:)?([^/]+)\/[^/]+$/.exec(address)?.[1];
  const isFile =
    resource.kind === "file" || /\.(?:csv|tsv|tab|json|jsonl|ndjson|parquet)$/i.test(last);
  if (isFile) names.push(last.replace(/\.[a-z]+$/i, ""), last, filePath(parts));
  else {
    const [table = last, schema] = last.split(".").toReversed();
    names.push(table);
    if (schema !== undefined) names.push(last);
    if (database !== undefined)
      names.push(`${decodedPart(database)}.${table}`, `${decodedPart(database)}.${last}`);
    if (database !== undefined && schema === undefined) names.push(`main.${table}`);
  }
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(resource.title)) names.push(resource.title);
  return [...names, id.replace(/^res:/, ""), id].filter((name) => name !== "");
}

function filePath(parts: readonly string[]): string {
  const at = parts.indexOf("file");
  return at < 0 ? "" : parts.slice(at + 1).join("/");
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
