/** A connection of a pool: a client of `pg`, by what is used of it. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** True closes the connection instead of giving it back. */
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool of `pg`, by what is used of it. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

/** Where DBOS writes what it has to say. */
export interface DbosLogger {
  info(entry: unknown): void;
  debug(entry: unknown): void;
  warn(entry: unknown): void;
  error(entry: unknown): void;
}

/** The settings of DBOS that a worker makes. */
interface DbosSettings {
  name: string;
  systemDatabasePool?: PostgresPool;
  systemDatabaseSchemaName?: string;
  executorID?: string;
  applicationVersion?: string;
  logger?: DbosLogger;
  enableOTLP?: boolean;
  tracingEnabled?: boolean;
  useListenNotify?: boolean;
  runMigrations?: boolean;
}

/** A workflow as DBOS knows it, by what is used of it. */
export interface DbosWorkflowStatus {
  readonly workflowID: string;
  readonly workflowName: string;
  readonly executorId?: string;
  /** Of a workflow that another one has started. */
  readonly parentWorkflowID?: string;
}

/** Which workflows are listed. */
export interface DbosWorkflowQuery {
  workflowName?: string[];
  workflowIDs?: string[];
  status?: "PENDING";
  executorId?: string[];
  limit?: number;
  offset?: number;
  loadInput?: boolean;
  loadOutput?: boolean;
}

/** How a step is tried again. */
export interface DbosStepOptions {
  name?: string;
  retriesAllowed?: boolean;
  intervalSeconds?: number;
  backoffRate?: number;
  maxAttempts?: number;
}

/** A registered workflow: `(runId)` carries out a run, `(runId, hook, operationId)` an operation of one. */
export type DbosWorkflow = (...ids: string[]) => Promise<string>;

/** What an executor needs of the class `DBOS` of `@dbos-inc/dbos-sdk` 5. */
export interface DbosWorkflows {
  isInitialized(): boolean;
  registerWorkflow(workflow: DbosWorkflow, options: { name: string }): DbosWorkflow;
  startWorkflow(
    workflow: DbosWorkflow,
    options: { workflowID: string },
  ): (...ids: string[]) => Promise<unknown>;
  runStep<T>(step: () => Promise<T>, options: DbosStepOptions): Promise<T>;
  /** Of the step that asks; the signal is aborted when its workflow is cancelled. */
  readonly stepStatus: { readonly cancelSignal: AbortSignal } | undefined;
}

/** What a worker needs of it. */
export interface DbosSdk extends DbosWorkflows {
  setConfig(settings: DbosSettings): void;
  launch(): Promise<void>;
  shutdown(options?: { workflowCompletionTimeoutMS?: number }): Promise<void>;
  listWorkflows(query: DbosWorkflowQuery): Promise<DbosWorkflowStatus[]>;
  resumeWorkflows(workflowIds: string[]): Promise<unknown>;
}
