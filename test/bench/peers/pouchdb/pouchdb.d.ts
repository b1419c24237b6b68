/** The part of PouchDB that its benchmark uses. */
declare module 'pouchdb' {
  interface Replicated {
    docs_written: number;
  }
  interface Options {
    batch_size: number;
    batches_limit: number;
  }
  export default class PouchDB<Doc extends { _id: string }> {
    constructor(folder: string | undefined);
    bulkDocs(docs: readonly Doc[]): Promise<unknown>;
    allDocs(options: { include_docs: true; limit: number }): Promise<{ rows: { doc?: Doc }[] }>;
    info(): Promise<{ doc_count: number }>;
    replicate: {
      to(url: string, options: Options): Promise<Replicated>;
      from(url: string, options: Options): Promise<Replicated>;
    };
    close(): Promise<void>;
  }
}
