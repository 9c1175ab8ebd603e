/** What stands under a name, links not followed. */
export interface EntryStatus {
  kind: "file" | "folder" | "link" | "other";
  /** Device and inode: two names with one identity are one file. Holds as long as the machine runs. */
  identity: string;
  /** The file system that it is on; links and moves do not leave one. */
  device: string;
  sizeBytes: number;
  /** The twelve permission bits. */
  mode: number;
  /** Time of the last change of content, in nanoseconds since the epoch. */
  modifiedNs: bigint;
  ownerId: number;
  groupId: number;
}

/** A file that is open. */
export interface OpenFile {
  status(): Promise<EntryStatus>;
  /** Fills the buffer from that offset on, as far as the file goes; how many bytes there were. */
  read(buffer: Uint8Array, offset: number): Promise<number>;
  write(bytes: Uint8Array): Promise<void>;
  setMode(mode: number): Promise<void>;
  setOwner(ownerId: number, groupId: number): Promise<void>;
  /** Times of access and of change, as exactly as the platform takes them. */
  setModified(modifiedNs: bigint): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A folder that is open. Names are single segments of a path, and no call follows a symbolic link under one: what was
 * opened stays the same folder, whatever others put in its place. Errors are the system's own, with their `code`.
 */
export interface Folder {
  /** Undefined where there is nothing of that name. */
  status(name: string): Promise<EntryStatus | undefined>;
  /** Of this folder itself. */
  ownStatus(): Promise<EntryStatus>;
  /** In no order. */
  list(): Promise<string[]>;
  openFolder(name: string): Promise<Folder>;
  /** For reading. Never waits, as it would for the other end of a pipe. */
  openFile(name: string): Promise<OpenFile>;
  /** Makes a new file for writing; `EEXIST` where the name is taken. The process's mask applies to the mode. */
  createFile(name: string, mode: number): Promise<OpenFile>;
  makeFolder(name: string): Promise<void>;
  /** Sets the permission bits of this folder. */
  setMode(mode: number): Promise<void>;
  /** A second name for a file; `EEXIST` where it is taken. */
  link(name: string, to: Folder, newName: string): Promise<void>;
  /** Replaces a file of the new name. */
  rename(name: string, to: Folder, newName: string): Promise<void>;
  /**
   * Renames over a file, so that there is one of that name at every moment; `ESTALE`, and nothing is done, where the file is
   * not the one of that identity. What others put there in the instant between look and rename is lost.
   */
  replace(name: string, to: Folder, target: { name: string; identity: string }): Promise<void>;
  unlink(name: string): Promise<void>;
  removeFolder(name: string): Promise<void>;
  /** Makes the names in the folder durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
