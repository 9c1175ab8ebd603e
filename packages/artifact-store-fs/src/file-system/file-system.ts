/** A file that is open. */
export interface OpenFile {
  /** Writes all bytes from that offset on. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Fills the buffer from that offset on, as far as the file goes; how many bytes there were. */
  read(buffer: Uint8Array, offset: number): Promise<number>;
  setTime(timeMs: number): Promise<void>;
  sync(): Promise<void>;
  /** Once, and only when no other call is under way. */
  close(): Promise<void>;
}

/** What is known of a file without opening it. */
export interface FileStatus {
  kind: "file" | "folder" | "other";
  sizeBytes: number;
  /** As `setTime` left it, in whole milliseconds. */
  timeMs: number;
  /** When the system last changed it, by the system's clock. */
  changedAtMs: number;
}

/**
 * The few calls that the store makes, each one system call as far as the promises go. No call follows a symbolic link at
 * the end of its path. Errors are the system's own, with their `code`.
 */
export interface FileSystem {
  /** Makes a new file for reading and writing; `EEXIST` where the name is taken. */
  create(path: string): Promise<OpenFile>;
  /** Opens a file for reading. */
  open(path: string): Promise<OpenFile>;
  /** Undefined where there is nothing of that name. */
  status(path: string): Promise<FileStatus | undefined>;
  /** The names in a folder, in no order. */
  list(folder: string): Promise<string[]>;
  /** The same with what each name stands for; undefined where there is no such folder. */
  listKinds(folder: string): Promise<Map<string, FileStatus["kind"]> | undefined>;
  /** A second name for a file; `EEXIST` where it is taken. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  setTime(path: string, timeMs: number): Promise<void>;
  /** Makes a folder and those above it; does nothing where it is. */
  makeFolder(path: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
}
