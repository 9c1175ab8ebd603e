export { cursorOffset, pageLimit, type PageSizes } from "./page-limit.ts";
