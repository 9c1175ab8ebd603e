export { cursorOffset, pageLimit, type OptionErrorClass, type PageSizes } from "./page-limit.ts";
