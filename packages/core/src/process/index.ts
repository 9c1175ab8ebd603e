export { ownProcessIdentity, processState } from "../node/process-identity.ts";
