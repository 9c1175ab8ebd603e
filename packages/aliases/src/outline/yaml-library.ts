// Bundlers find the library's names only through static exports.
export { isMap, isScalar, LineCounter, parse, parseAllDocuments } from "yaml";
