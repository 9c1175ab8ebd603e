// Bundlers find the library's names through static exports alone.
export { isMap, isScalar, LineCounter, parse, parseAllDocuments } from "yaml";
