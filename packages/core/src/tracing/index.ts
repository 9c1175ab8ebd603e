export { traced, type TraceAttributes, type TraceSpan } from "./traced.ts";
