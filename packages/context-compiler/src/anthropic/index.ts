export { withContext } from "./with-context.ts";
