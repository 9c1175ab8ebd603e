export { openBlobDirectory, type OpenBlobDirectoryOptions } from "./open-blob-directory.ts";
