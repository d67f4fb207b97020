import { runPipeline } from './aggregate.ts'
import { writeOutput } from './aggregate-output.ts'
import type { PipelineEnv } from './aggregate-sink.ts'
import { sourceDocuments } from './aggregate-source.ts'
import { splitPipeline } from './aggregate-split.ts'
import { decode, decodeFields, encode } from './bson-raw.ts'
import { isChangeStream } from './change-stream.ts'
import { parseCollation } from './collation.ts'
import { watch } from './commands-change-stream.ts'
import { countMatches } from './commands-count.ts'
import { explain } from './commands-diagnose.ts'
import { answerWithCursor } from './commands-find.ts'
import {
  type Command,
  type Context,
  collectionName,
  findCollection,
  flag,
  optionalCount,
  optionalDoc,
  optionalDocs,
  variables,
  viewFor,
} from './context.ts'
import { fail } from './errors.ts'
import { parseSort } from './query-sort.ts'
import { checkDeadline, docOf, type Query, runQuery, type Tick, tick, withinDeadline } from './read.ts'
import { asInteger, type Doc, isDoc, isNumeric } from './values.ts'

const firstBatchSize = 101
const turnMs = 12
const atlasStages = new Set(['$search', '$searchMeta', '$vectorSearch', '$listSearchIndexes', '$rankFusion'])
/** Stages that compare nothing. */
const indifferent = new Set(['$skip', '$limit', '$count', '$unwind', '$out', '$merge', '$unset'])
/** Stages that give nothing before they have seen everything. */
const gathering = new Set(['$group', '$count', '$sortByCount', '$bucket', '$bucketAuto', '$sort', '$facet'])

export const aggregate: Command = {
  run: async context => {
    const { body } = context
    const collation = parseCollation(body.collation)
    const isForDatabase = isNumeric(body.aggregate)
    const name = isForDatabase ? '$cmd.aggregate' : collectionName(context)
    const stages = optionalDocs(body, 'pipeline') ?? fail(40414, "BSON field 'aggregate.pipeline' is missing but a required field")
    if (isChangeStream(stages)) return watch(context, isForDatabase ? undefined : name, stages)
    checkStages(body, stages)
    if (collation) checkCollated(splitPipeline(stages).rest)
    if (flag(body, 'explain')) return explain.run({ ...context, body: { explain: { aggregate: name, pipeline: stages }, verbosity: 'queryPlanner' } })
    const cursor = optionalDoc(body, 'cursor') ?? fail(9, "The 'cursor' option is required, except for aggregate with the explain argument")
    const batchSize = optionalCount(cursor, 'batchSize') ?? firstBatchSize
    const counted = countOnly(context, name, stages)
    const end = { isReached: counted !== undefined }
    return answerWithCursor(
      context,
      `${context.db}.${name}`,
      counted?.values() ?? results(context, isForDatabase ? undefined : name, stages),
      batchSize,
      false,
      end,
    )
  },
  fields: new Set([
    'pipeline',
    'cursor',
    'explain',
    'allowDiskUse',
    'bypassDocumentValidation',
    'collation',
    'hint',
    'let',
    'needsMerge',
    'fromMongos',
  ]),
  inTransaction: true,
}

async function* results(context: Context, name: string | undefined, stages: readonly Doc[]): AsyncGenerator<Buffer | Tick> {
  const env: PipelineEnv = {
    now: context.now,
    let: variables(context),
    lookup: (other, filter) => everythingIn(context, other, filter ?? {}),
    out: (target, docs, mode) => writeOutput(context, target, docs, mode),
    source: stage => sourceDocuments(context, name, stage),
  }
  const split = splitPipeline(stages)
  const source = name === undefined ? [] : sourceFor(split.rest, documents(context, name, split), context.deadline)
  for await (const doc of runPipeline(split.rest, source, env)) yield encode(doc)
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
    collation: parseCollation(context.body.collation),
    fields,
  }
  for (const found of runQuery(viewFor(context), collection, query)) {
    yield found === tick ? tick : (found.doc ?? (fields ? decodeFields(found.raw, fields.all) : decode(found.raw)))
  }
}

/** A pipeline that needs all its input anyway gets what can be read in one turn at once, which is quicker than document by document. */
function sourceFor(stages: readonly Doc[], stream: Generator<Doc | Tick>, deadline: number): Iterable<Doc> | AsyncIterable<Doc> {
  const first: Doc[] = []
  if (!stages.some(stage => gathering.has(Object.keys(stage)[0]!))) return inTurns(first, stream, deadline)
  const started = Date.now()
  for (;;) {
    const { done, value } = stream.next()
    if (done) return first
    if (value !== tick) first.push(value)
    else if (Date.now() - started > turnMs) return inTurns(first, stream, deadline)
  }
}

/** Gives other commands a turn whenever the reading has taken long. */
async function* inTurns(first: readonly Doc[], stream: Iterable<Doc | Tick>, deadline: number): AsyncGenerator<Doc> {
  yield* first
  let turnStarted = Date.now()
  for (const doc of stream) {
    if (doc !== tick) yield doc
    else {
      checkDeadline(deadline)
      if (Date.now() - turnStarted < turnMs) continue
      await new Promise(setImmediate)
      turnStarted = Date.now()
    }
  }
}

function* everythingIn(context: Context, name: string, filter: Doc): Generator<Doc> {
  const collection = findCollection(context, name)
  if (!collection) return
  for (const found of withinDeadline(runQuery(viewFor(context), collection, { filter }), context.deadline)) yield docOf(found)
}

/** What depends on the command around the pipeline. */
function checkStages({ readConcern }: Doc, stages: readonly Doc[]): void {
  const [first] = Object.keys(stages[0] ?? {})
  if (first !== undefined && atlasStages.has(first)) fail(115, `${first} stage is only allowed on MongoDB Atlas`)
  const [last] = Object.keys(stages.at(-1) ?? {})
  if (isDoc(readConcern) && readConcern.level === 'linearizable' && (last === '$out' || last === '$merge'))
    fail(72, `${last} cannot be used with a 'linearizable' read concern`)
}

/** Only the leading stages, which the query answers, know collations; the others may at most pass documents on. */
function checkCollated(rest: readonly Doc[]): void {
  for (const stage of rest) {
    const [name] = Object.keys(stage)
    const isCount = name === '$group' && isDoc(stage.$group) && isNumeric(stage.$group._id)
    if (!isCount && !indifferent.has(name!)) fail(115, `${name} under a collation is not supported by this server`)
  }
}

/** The pipeline of `countDocuments` is answered by counting, often without reading a document. */
function countOnly(context: Context, name: string, stages: readonly Doc[]): Buffer[] | undefined {
  const last = stages.at(-1)?.$group
  if (stages.length < 2 || !isDoc(last) || Object.keys(last).join() !== '_id,n' || !isDoc(last.n) || !isNumeric(last._id)) return undefined
  if (!isNumeric(last.n.$sum) || asInteger(last.n.$sum) !== 1 || Object.keys(last.n).length !== 1) return undefined
  const filter = stages[0]!.$match
  if (!isDoc(filter)) return undefined
  const query = {
    filter,
    hint: context.body.hint,
    vars: variables(context),
    collation: parseCollation(context.body.collation),
    skip: 0,
    limit: 0,
  }
  for (const stage of stages.slice(1, -1)) {
    const [operator] = Object.keys(stage)
    const value = isNumeric(stage[operator!]) ? asInteger(stage[operator!]) : undefined
    if (value === undefined || value < 0) return undefined
    if (operator === '$skip' && query.skip === 0 && query.limit === 0) query.skip = value
    else if (operator === '$limit' && query.limit === 0 && value > 0) query.limit = value
    else return undefined
  }
  const n = countMatches(context, name, query)
  return n > 0 ? [encode({ _id: last._id, n })] : []
}
