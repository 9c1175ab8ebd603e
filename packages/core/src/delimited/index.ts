export { createDelimitedScanner, type Delimiter } from "./delimited-scanner.ts";
export { columnNames, detectDelimiter, readDelimited, readDelimitedRow } from "./read-delimited.ts";
