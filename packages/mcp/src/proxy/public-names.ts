import { sha8 } from "@ccl/core";

const maxLength = 64;

/** Returns the prefix of a server's tool names. It contains no `__`, so the first `__` in a name ends the prefix. */
export function serverPrefix(name: string): string {
  const plain = legalName(name).slice(0, 30).replaceAll(/_{2,}/g, "_").replace(/_$/, "");
  return plain === name ? name : `${plain}-${sha8(name).slice(0, 4)}`;
}

/** Returns the public names of one server's tools. If a changed name is already taken, appends a stable hash. */
export function publicNames(
  own: readonly string[],
  { prefix, reserved }: { prefix: string | undefined; reserved: ReadonlySet<string> },
): Map<string, string> {
  const whole = (name: string): string => {
    const before = prefix ?? (reserved.has(name) ? "server" : undefined);
    return before === undefined ? name : `${before}__${name}`;
  };
  const taken = new Set(own.map(whole));
  return new Map(
    own.map((name) => {
      const legal = legalName(whole(name));
      const isFree = legal === whole(name) || (legal.length < maxLength && !taken.has(legal));
      const shown = isFree ? legal : `${legal.slice(0, maxLength - 9)}-${sha8(name)}`;
      taken.add(shown);
      return [name, shown];
    }),
  );
}

/** Returns a name that model APIs accept: up to 64 letters, digits, `_` and `-`. */
function legalName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, maxLength);
}
