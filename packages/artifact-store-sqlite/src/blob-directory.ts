/**
 * Files next to the database for streamed content. Only the database decides which of them count. A file is synced
 * before the commit that refers to it, and removed after the commit that drops it.
 */
export interface BlobDirectory {
  /** Creates a file. No file of that name may exist. */
  create(name: string): Promise<BlobFileWriter>;
  /** Reads bytes from `start` up to `end`, fewer if the file is shorter. Undefined if the file does not exist. */
  read(name: string, start: number, end: number): Promise<Uint8Array | undefined>;
  /** Does nothing if the file does not exist. */
  remove(name: string): Promise<void>;
}

/** A file that is being written. */
export interface BlobFileWriter {
  /** Appends. The caller may overwrite the bytes once the promise resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the bytes and the file's name are as durable as the directory promises. Closes the file. */
  finish(): Promise<void>;
  /** Closes the file, whatever it contains. */
  abandon(): Promise<void>;
}

/** Returns the file name of a set. Set numbers are never reused, so neither are names. */
export function blobFileName(setId: number): string {
  return `${setId}.blob`;
}
