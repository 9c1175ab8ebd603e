import { ownProcessIdentity, processState } from "@ccl/core/process";

import type { LeaseOwners } from "../ports/run-store.ts";

const pattern =
  /^process (?<pid>\d+) on (?<host>.*) \((?<started>\d+) (?<boot>\S*) (?<space>\S*)\)$/;

/** Identifies this process as the owner of leases. Other processes on the machine can detect its death. */
export async function processOwners(): Promise<LeaseOwners> {
  if (globalThis.process?.getBuiltinModule === undefined) return {};
  const { pid, host, started, boot, space } = await ownProcessIdentity();
  return {
    owner: `process ${pid} on ${host} (${started} ${boot} ${space})`,
    async isOwnerDead(owner) {
      const parts = pattern.exec(owner)?.groups;
      if (parts === undefined) return false;
      const { host = "", boot = "", space = "" } = parts;
      const numbers = { pid: Number(parts["pid"]), started: Number(parts["started"]) };
      return (await processState({ ...numbers, host, boot, space })) === "dead";
    },
  };
}
