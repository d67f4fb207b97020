import type { Scope } from '../expressions/core.ts'
import type { Doc } from '../values/values.ts'

/** A running stage: documents are pushed into it, and it pushes its results into the next one. */
export interface Sink {
  /** false once no further document can change the answer */
  push(doc: Doc): boolean
  /** No document follows. */
  end(): void
}

/** Where `$out` and `$merge` write. */
export interface Target {
  /** undefined means the database of the command */
  readonly db: string | undefined
  readonly collection: string
}

/** How `$out` and `$merge` write. */
export type OutMode =
  | { readonly kind: 'replace' }
  | {
      readonly kind: 'merge'
      /** fields that identify a document, `_id` by default */
      readonly on: readonly string[]
      readonly whenMatched: 'replace' | 'keepExisting' | 'fail' | ((existing: Doc, incoming: Doc) => Doc)
      readonly whenNotMatched: 'insert' | 'discard' | 'fail'
    }

/** What a pipeline needs from outside. */
export interface PipelineEnv {
  readonly now: Date
  /** the command's `let` variables */
  readonly let?: Doc | undefined
  /**
   * The documents of a collection of the same database. A filter, when given, may be used to leave out documents that do not match it,
   * but need not be.
   */
  lookup(collection: string, filter?: Doc): Iterable<Doc>
  /** Stores the outcome of `$out` or `$merge`. */
  out?(target: Target, docs: Doc[], mode: OutMode): Promise<void> | void
  /** The documents of a first stage that reads something else than a collection, such as `$collStats`; undefined if there is no such stage here. */
  source?(stage: string, spec: unknown): Iterable<Doc> | undefined
}

/** What a pipeline is compiled with. */
export interface PipelineContext {
  readonly env: PipelineEnv
  readonly scope: Scope
}

/** What a stage is compiled with. */
export interface StageContext extends PipelineContext {
  /** Compiles a pipeline inside the stage, where nothing can be written. */
  compileInner(stages: readonly unknown[], scope: Scope): CompiledPipeline
}

export interface CompiledPipeline {
  readonly stages: readonly Stage[]
  /** what the first stage reads, when that is not the collection */
  readonly source: (() => Iterable<Doc>) | undefined
}

/** Makes a stage that pushes into the next one. Each run makes its own, because a stage may hold state. */
export type Stage = (next: Sink) => Sink

/** Runs documents through compiled stages and collects the results. */
export function runStages(stages: readonly Stage[], docs: Iterable<Doc>): Doc[] {
  const out: Doc[] = []
  const head = connect(stages, collector(out))
  for (const doc of docs) if (!head.push(doc)) break
  head.end()
  return out
}

export function connect(stages: readonly Stage[], last: Sink): Sink {
  return stages.reduceRight((next, stage) => stage(next), last)
}

export function collector(into: Doc[]): Sink {
  return {
    push: doc => {
      into.push(doc)
      return true
    },
    end: () => {},
  }
}

/** Pushes documents and ends. */
export function pushAll(docs: Iterable<Doc>, next: Sink): void {
  for (const doc of docs) if (!next.push(doc)) break
  next.end()
}
