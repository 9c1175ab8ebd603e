export { handle as GET } from "../../src/handle-in-next.mjs";
export const dynamic = "force-dynamic";
