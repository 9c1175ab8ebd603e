export { handle as POST } from "../../src/handle-in-next.mjs";
