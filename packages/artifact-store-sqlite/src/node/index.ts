export { openBlobDirectory } from "./open-blob-directory.ts";
