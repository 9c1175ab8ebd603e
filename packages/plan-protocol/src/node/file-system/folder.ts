/** Status of a folder entry. Does not follow links. */
export interface EntryStatus {
  kind: "file" | "folder" | "link" | "other";
  /** Device and inode. Two names with the same identity are one file. Valid until a reboot. */
  identity: string;
  /** The entry's file system. Links and renames cannot cross it. */
  device: string;
  sizeBytes: number;
  /** The 12 permission bits. */
  mode: number;
  /** Time of the last content change, in ns since the epoch. */
  modifiedNs: bigint;
  ownerId: number;
  groupId: number;
}

/** An open file. */
export interface OpenFile {
  status(): Promise<EntryStatus>;
  /** Fills the buffer from the offset, up to the end of the file. Returns the number of bytes read. */
  read(buffer: Uint8Array, offset: number): Promise<number>;
  write(bytes: Uint8Array): Promise<void>;
  setMode(mode: number): Promise<void>;
  setOwner(ownerId: number, groupId: number): Promise<void>;
  /** Sets access and modification times, as precisely as the platform allows. */
  setModified(modifiedNs: bigint): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * An open folder. Names are single path segments, and no call follows a symbolic link at a name. The handle keeps
 * pointing to the folder that was opened, even if another process replaces it. Errors are the system's own, with
 * their `code`.
 */
export interface Folder {
  /** Undefined if no entry has that name. */
  status(name: string): Promise<EntryStatus | undefined>;
  /** Status of this folder itself. */
  ownStatus(): Promise<EntryStatus>;
  /** Names in no particular order. */
  list(): Promise<string[]>;
  openFolder(name: string): Promise<Folder>;
  /** Opens a file for reading. Never blocks, even on a pipe without a writer. */
  openFile(name: string): Promise<OpenFile>;
  /** Creates a file for writing. Fails with `EEXIST` if the name is taken. The process's umask applies to the mode. */
  createFile(name: string, mode: number): Promise<OpenFile>;
  makeFolder(name: string): Promise<void>;
  /** Sets this folder's permission bits. */
  setMode(mode: number): Promise<void>;
  /** Adds a hard link to a file. Fails with `EEXIST` if the new name is taken. */
  link(name: string, to: Folder, newName: string): Promise<void>;
  /** Replaces any file with the new name. */
  rename(name: string, to: Folder, newName: string): Promise<void>;
  /**
   * Replaces a file by renaming, so that the name always exists. Fails with `ESTALE`, without any change, if the file
   * does not have the given identity. A change by another process between the check and the rename is lost.
   */
  replace(name: string, to: Folder, target: { name: string; identity: string }): Promise<void>;
  unlink(name: string): Promise<void>;
  removeFolder(name: string): Promise<void>;
  /** Makes the folder's entries durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
