/** An open file. */
export interface OpenFile {
  /** Writes all bytes, starting at the offset. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Reads from the offset until the buffer is full or the file ends. Returns the number of bytes read. */
  read(buffer: Uint8Array, offset: number): Promise<number>;
  setTime(timeMs: number): Promise<void>;
  sync(): Promise<void>;
  /** Must be called once, when no other call is running. */
  close(): Promise<void>;
}

/** What the system reports about a file that is not open. */
export interface FileStatus {
  kind: "file" | "folder" | "other";
  sizeBytes: number;
  /** The time set by `setTime`, in whole milliseconds. */
  timeMs: number;
  /** When the file last changed, by the system's clock. */
  changedAtMs: number;
}

/**
 * The few system calls that the store makes. No call follows a symbolic link at the end of its path. Errors are system
 * errors with a `code`.
 */
export interface FileSystem {
  /** Creates a file for reading and writing. `EEXIST` if the name is taken. */
  create(path: string): Promise<OpenFile>;
  /** Opens a file for reading. */
  open(path: string): Promise<OpenFile>;
  /** Returns undefined if nothing has that name. */
  status(path: string): Promise<FileStatus | undefined>;
  /** Returns the names in a folder, in no particular order. */
  list(folder: string): Promise<string[]>;
  /** Returns the names in a folder with their kinds. Undefined if the folder does not exist. */
  listKinds(folder: string): Promise<Map<string, FileStatus["kind"]> | undefined>;
  /** Adds a second name to a file. `EEXIST` if that name is taken. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  setTime(path: string, timeMs: number): Promise<void>;
  /** Creates a folder and its parents. Does nothing if it exists. */
  makeFolder(path: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
}
