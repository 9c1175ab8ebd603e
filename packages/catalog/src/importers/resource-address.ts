import { sha256Hex } from "@ccl/core";

const encoder = new TextEncoder();
/** Maximum length of an id. Stays below the catalog's limit of 512 characters. */
const maxIdChars = 400;

/** Percent-encodes everything except letters and digits of any script, `_`, `-` and characters in `alsoKept`. */
function encodePart(part: string, alsoKept: string): string {
  if (part === "") return "%";
  return part.replace(/[^\p{L}\p{N}_-]/gu, (character) =>
    alsoKept.includes(character)
      ? character
      : [...encoder.encode(character)]
          .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
          .join(""),
  );
}

/** Joins `res:` and the parts with dots. Different parts always produce different ids. Ids contain no spaces. */
export function resourceId(...parts: readonly [string, ...string[]]): string {
  return shortened(`res:${parts.map((part) => encodePart(part, "")).join(".")}`);
}

/** Like `resourceId`, for a resource with a path. It keeps the path's dots and slashes. */
export function pathResourceId(root: string, path: string): string {
  return shortened(`res:${encodePart(root, "")}.${encodePart(path, "./")}`);
}

/** Replaces the end of a long id with a hash of the whole id. */
function shortened(id: string): string {
  return id.length <= maxIdChars
    ? id
    : `${id.slice(0, maxIdChars - 17).replace(/%.?$/, "")}~${sha256Hex(id).slice(0, 16)}`;
}

/** Joins `ada://any/` and the parts with slashes. Colons and dots within a part are kept. */
export function resourceUri(...parts: readonly [string, ...string[]]): string {
  return `ada://any/${parts.map((part) => encodePart(part, ":.")).join("/")}`;
}

/** Returns the reference to a secret: `ada://secret/` and the parts, joined with slashes. */
export function secretUri(...parts: readonly [string, ...string[]]): string {
  return `ada://secret/${parts.map((part) => encodePart(part, ":.")).join("/")}`;
}

/** Encodes one name in a dotted address, including any dots in it, such as the table in `schema.table`. */
export function addressName(name: string): string {
  return encodePart(name, "");
}

/** Decodes the output of `encodePart`. Leaves malformed escapes unchanged. */
export function decodeAddressName(text: string): string {
  if (text === "%") return "";
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
