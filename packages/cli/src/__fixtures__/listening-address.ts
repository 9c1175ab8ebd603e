import type { ChildProcess } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

/** Returns the address that a command prints to stderr once it listens. */
export async function listeningAddress({ stderr }: ChildProcess): Promise<string> {
  let said = "";
  for await (const piece of stderr ?? []) {
    said += stripVTControlCharacters(String(piece));
    const [, address] = /listening on (\S+)/.exec(said) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error(`The command ended: ${said}`);
}
