export {
  type CatalogFolderOptions,
  createCatalogFolder,
  damagedCatalog,
  type CatalogFolder,
  type CatalogFolderState,
} from "./create-catalog-folder.ts";
export type { FolderContent } from "./folder-cache.ts";
export {
  sourceKey,
  type CatalogSource,
  type ImportedSource,
  type SourceKind,
} from "./sources-file.ts";
