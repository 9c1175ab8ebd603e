import { ownProcessIdentity, processState } from "@ccl/core/process";

import type { LeaseOwners } from "../ports/run-store.ts";

const pattern = /^process (\d+) on (.*) \((\d+) (\S*) (\S*)\)$/;

/** Names this process as the owner of leases. Other processes on the machine can detect its death. */
export async function processOwners(): Promise<LeaseOwners> {
  if (globalThis.process?.getBuiltinModule === undefined) return {};
  const { pid, host, started, boot, space } = await ownProcessIdentity();
  return {
    owner: `process ${pid} on ${host} (${started} ${boot} ${space})`,
    async isOwnerDead(owner) {
      const found = pattern.exec(owner);
      if (found === null) return false;
      const [, id, name = "", start, bootId = "", spaceId = ""] = found;
      const other = { pid: Number(id), host: name, started: Number(start) };
      return (await processState({ ...other, boot: bootId, space: spaceId })) === "dead";
    },
  };
}
