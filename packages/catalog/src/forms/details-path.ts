import { sha256Hex } from "@ccl/core";

const longestName = 180;
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * Returns the path of a resource's details: `details/<id>.json`. Everything except `a-z 0-9 . _ -` is
 * percent-encoded, including capital letters, so that no two ids share a file on any file system. Long ids end in
 * `~` and a hash.
 */
export function detailsPath(id: string): string {
  const isSafe = /^[a-z0-9._-]$/;
  let name = "";
  for (const byte of new TextEncoder().encode(id)) {
    const character = String.fromCharCode(byte);
    name += byte < 0x80 && isSafe.test(character) ? character : hex(byte);
  }
  if (name.startsWith(".") || devices.test(name)) name = hex(name.charCodeAt(0)) + name.slice(1);
  if (name.length > longestName)
    name = `${name.slice(0, 120).replace(/%.?$/, "")}~${sha256Hex(id).slice(0, 32)}`;
  return `details/${name}.json`;
}

function hex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
