/** Where ids come from. The default gives UUIDv7, which sort by time and rise within a millisecond. */
export interface IdGenerator {
  next(): string;
}
