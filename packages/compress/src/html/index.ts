export { openHtmlReader } from "./open-html-reader.ts";
