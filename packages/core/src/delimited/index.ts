export { createDelimitedScanner } from "./delimited-scanner.ts";
export {
  columnNames,
  type Delimiter,
  detectDelimiter,
  readDelimited,
  readDelimitedRow,
} from "./read-delimited.ts";
