/**
 * Files beside the database for contents that are streamed. The database alone says which of them count: a file is made
 * durable before the commit that names it, and removed after the commit that forgets it.
 */
export interface BlobDirectory {
  /** A new file; one of that name must not be there. */
  create(name: string): Promise<BlobFileWriter>;
  /** Bytes `start` up to `end`, fewer where the file is shorter; undefined when there is no such file. */
  read(name: string, start: number, end: number): Promise<Uint8Array | undefined>;
  /** Does nothing where there is no such file. */
  remove(name: string): Promise<void>;
}

/** A file that is being written. */
export interface BlobFileWriter {
  /** Appends; the bytes may be written over once the promise resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** Resolves when the bytes and the file's name are as durable as the directory promises; closes the file. */
  finish(): Promise<void>;
  /** Closes the file, whatever is in it. */
  abandon(): Promise<void>;
}

/** The file of a set. Sets are never numbered twice, so no name is ever used again. */
export function blobFileName(setId: number): string {
  return `${setId}.blob`;
}
