import { compileStages, runPipeline } from '../aggregate/compile-stages.ts'
import { type PipelineEnv, runStages } from '../aggregate/sink.ts'
import { decode, decodeFields, encode } from '../bson/raw.ts'
import { type Context, findCollection, variables, viewFor } from '../engine/context.ts'
import { resolveView } from '../engine/views.ts'
import { scopeWith } from '../expressions/core.ts'
import { splitPipeline } from '../query/split-pipeline.ts'
import { docOf } from '../read/found.ts'
import { type Query, runQuery, withinDeadline } from '../read/read.ts'
import { checkDeadline, type Tick, tick } from '../sessions/deadline.ts'
import { collationOf } from '../values/collation.ts'
import { parseSort } from '../values/sort-keys.ts'
import type { Doc } from '../values/values.ts'
import { geoNearDocuments } from './geo-near.ts'
import { sourceDocuments } from './source.ts'
import { writeOutput } from './write-output.ts'

const sliceMs = 12
/** Stages that give nothing before they have seen everything. */
const gathering = new Set(['$group', '$count', '$sortByCount', '$bucket', '$bucketAuto', '$sort', '$facet', '$setWindowFields', '$densify', '$fill'])

/** The documents that the command's pipeline makes of a collection, or, without one, of its first stage. */
export async function* pipelineResults(context: Context, name: string | undefined, stages: readonly Doc[]): AsyncGenerator<Buffer | Tick> {
  const env: PipelineEnv = {
    now: context.now,
    let: variables(context),
    lookup: (other, filter) => everythingIn(context, other, filter ?? {}),
    out: (target, docs, mode) => writeOutput(context, target, docs, mode),
    source: (stage, spec) => sourceDocuments(context, name, stage, spec),
  }
  const [first] = stages
  const isNear = name !== undefined && first !== undefined && Object.hasOwn(first, '$geoNear')
  const split = splitPipeline(isNear ? [] : stages)
  const rest = isNear ? stages.slice(1) : split.rest
  const stream = name === undefined ? undefined : isNear ? geoNearDocuments(context, name, first.$geoNear) : documents(context, name, split)
  const source = stream ? sourceFor(rest, stream, context.deadline) : []
  for await (const doc of runPipeline(rest, source, env)) yield encode(doc)
}

/** What the front of the pipeline lets through, found by an index where there is one. */
function* documents(context: Context, name: string, { filter, sort, skip, limit, fields }: ReturnType<typeof splitPipeline>): Generator<Doc | Tick> {
  const collection = findCollection(context, name)
  if (!collection) return
  const query: Query = {
    filter,
    sort: parseSort(sort),
    skip,
    limit,
    hint: context.body.hint,
    vars: variables(context),
    collation: collationOf(collection, context.body.collation),
    fields,
  }
  for (const found of runQuery(viewFor(context), collection, query)) {
    yield found === tick ? tick : (found.doc ?? (fields ? decodeFields(found.raw, fields.all) : decode(found.raw)))
  }
}

/** A pipeline that needs all its input gets what one time slice reads as an array, which is quicker than document by document. */
function sourceFor(stages: readonly Doc[], stream: Generator<Doc | Tick>, deadline: number): Iterable<Doc> | AsyncIterable<Doc> {
  const first: Doc[] = []
  if (!stages.some(stage => gathering.has(Object.keys(stage)[0]!))) return inSlices(first, stream, deadline)
  const started = Date.now()
  for (;;) {
    const { done, value } = stream.next()
    if (done) return first
    if (value !== tick) first.push(value)
    else if (Date.now() - started > sliceMs) return inSlices(first, stream, deadline)
  }
}

/** Yields to other commands after each time slice. */
async function* inSlices(first: readonly Doc[], stream: Iterable<Doc | Tick>, deadline: number): AsyncGenerator<Doc> {
  yield* first
  let sliceStarted = Date.now()
  for (const doc of stream) {
    if (doc !== tick) yield doc
    else {
      checkDeadline(deadline)
      if (Date.now() - sliceStarted < sliceMs) continue
      await new Promise(setImmediate)
      sliceStarted = Date.now()
    }
  }
}

/** What another collection or view of the database holds. */
function everythingIn(context: Context, name: string, filter: Doc): Iterable<Doc> {
  const { name: base, pipeline } = resolveView(context, name)
  if (pipeline.length === 0) return storedIn(context, name, filter)
  const env = { now: context.now, lookup: (other: string, filter?: Doc) => everythingIn(context, other, filter ?? {}) }
  const { stages } = compileStages([...pipeline, { $match: filter }], { env, scope: scopeWith(context.now) }, 'inner')
  return runStages(stages, storedIn(context, base, {}))
}

function* storedIn(context: Context, name: string, filter: Doc): Generator<Doc> {
  const collection = findCollection(context, name)
  if (!collection) return
  for (const found of withinDeadline(runQuery(viewFor(context), collection, { filter }), context.deadline)) yield docOf(found)
}
