import { sha256Hex } from "@ccl/core";

const encoder = new TextEncoder();
/** Below the 512 characters that a catalog takes. */
const maxIdChars = 400;

/** Percent-encodes all but letters and digits of any script, `_`, `-` and what `alsoKept` names. */
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

/** `res:` and the parts joined by dots. Parts that differ give ids that differ, whatever stands in them, and no id holds a blank. */
export function resourceId(...parts: readonly [string, ...string[]]): string {
  return shortened(`res:${parts.map((part) => encodePart(part, "")).join(".")}`);
}

/** The same for something named by a path: its dots and slashes stay. */
export function pathResourceId(root: string, path: string): string {
  return shortened(`res:${encodePart(root, "")}.${encodePart(path, "./")}`);
}

/** An id that is too long ends in the hash of the whole. */
function shortened(id: string): string {
  return id.length <= maxIdChars
    ? id
    : `${id.slice(0, maxIdChars - 17).replace(/%.?$/, "")}~${sha256Hex(id).slice(0, 16)}`;
}

/** `ada://any/` and the parts joined by slashes; colons and dots within a part stay. */
export function resourceUri(...parts: readonly [string, ...string[]]): string {
  return `ada://any/${parts.map((part) => encodePart(part, ":.")).join("/")}`;
}

/** The reference to a secret: `ada://secret/` and the parts joined by slashes. */
export function secretUri(...parts: readonly [string, ...string[]]): string {
  return `ada://secret/${parts.map((part) => encodePart(part, ":.")).join("/")}`;
}

/** One name of a dotted address, such as a table's behind its schema's: dots are encoded too. */
export function addressName(name: string): string {
  return encodePart(name, "");
}

/** The names that an address was made of; a malformed escape stays as it is. */
export function decodeAddressName(text: string): string {
  if (text === "%") return "";
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
