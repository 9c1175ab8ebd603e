// Bundlers find the library's names only if the exports are static.
export { isMap, isScalar, LineCounter, parse, parseAllDocuments } from "yaml";
