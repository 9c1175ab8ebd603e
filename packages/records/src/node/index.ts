export { type NodeRecordsPlace, openRecords } from "./open-records.ts";
export { salvageRecords } from "./salvage-records.ts";
