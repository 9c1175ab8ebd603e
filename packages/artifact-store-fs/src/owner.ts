import { sha256Hex } from "@ccl/core";
import { randomHex } from "@ccl/core/hash";
import { ownProcessIdentity, processState } from "@ccl/core/process";

/** Names the temporary files of an open store, and checks whether those of other stores are still in use. */
export interface Owner {
  /** Returns a new name of `[0-9a-z-]` on every call. */
  nextToken(): string;
  /**
   * False if the token's process can no longer be working: it has ended, or the file has not changed for a day and the
   * process cannot be checked because it ran on another machine or in another container. A token without a start time
   * matches any process with its number.
   */
  isAlive(token: string, ageMs: number): Promise<boolean>;
}

const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Creates a new owner for this process on each call. */
export async function createOwner(): Promise<Owner> {
  const own = await ownProcessIdentity();
  const { boot, space, host } = own;
  // A process id identifies a process only within one boot of one machine, and within one container.
  const place = sha256Hex(boot === "" ? host : `${boot}\n${space}`).slice(0, 8);
  const prefix = `${place}-${own.pid.toString(36)}-${own.started}-${randomHex(5)}`;
  let count = 0;
  return {
    nextToken() {
      count += 1;
      return `${prefix}-${count.toString(36)}`;
    },
    async isAlive(token, ageMs) {
      const [itsPlace, pid = "", started] = token.split("-");
      if (itsPlace !== place) return ageMs < abandonedAfterMs;
      const other = { ...own, pid: Number.parseInt(pid, 36), started: Number(started) || Infinity };
      return (await processState(other)) !== "dead";
    },
  };
}
