import { encode } from '../bson/raw.ts'
import { isChangeStream } from '../change-streams/stream.ts'
import { type Command, type Context, collectionName, findCollection, flag, optionalCount, optionalDoc, variables } from '../engine/context.ts'
import { resolveView } from '../engine/views.ts'
import { pipelineResults } from '../pipeline/run.ts'
import { splitPipeline } from '../query/split-pipeline.ts'
import { collationOf } from '../values/collation.ts'
import { fail } from '../values/errors.ts'
import { asInteger, type Doc, isDoc, isNumeric } from '../values/values.ts'
import { watch } from './change-stream.ts'
import { countMatches } from './count.ts'
import { explain } from './explain.ts'
import { answerWithCursor } from './find.ts'

const firstBatchSize = 101
const atlasStages = new Set(['$search', '$searchMeta', '$vectorSearch', '$listSearchIndexes', '$rankFusion'])
/** Stages that compare nothing. */
const indifferent = new Set(['$skip', '$limit', '$count', '$unwind', '$out', '$merge', '$unset'])

export const aggregate: Command = {
  run: async context => {
    const { body } = context
    const isForDatabase = isNumeric(body.aggregate)
    const name = isForDatabase ? '$cmd.aggregate' : collectionName(context)
    const given = pipelineOf(body)
    if (isChangeStream(given)) return watch(context, isForDatabase ? undefined : name, given)
    const target = resolveView(context, name)
    const stages = [...target.pipeline, ...given]
    const collation = collationOf(findCollection(context, target.name), body.collation)
    checkStages(body, stages)
    if (collation) checkCollated(splitPipeline(stages).rest)
    if (flag(body, 'explain'))
      return explain.run({ ...context, body: { explain: { aggregate: target.name, pipeline: stages }, verbosity: 'queryPlanner' } })
    const cursor = optionalDoc(body, 'cursor') ?? fail(9, "The 'cursor' option is required, except for aggregate with the explain argument")
    const batchSize = optionalCount(cursor, 'batchSize') ?? firstBatchSize
    const counted = await countOnly(context, target.name, stages)
    const end = { isReached: counted !== undefined }
    return answerWithCursor(
      context,
      `${context.db}.${name}`,
      counted?.values() ?? pipelineResults(context, isForDatabase ? undefined : target.name, stages),
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
    'bypassEmptyTsReplacement',
    'collation',
    'hint',
    'let',
    'needsMerge',
    'fromMongos',
  ]),
  inTransaction: true,
}

function pipelineOf({ pipeline }: Doc): Doc[] {
  if (pipeline === undefined) return fail(40414, "BSON field 'aggregate.pipeline' is missing but a required field")
  if (!Array.isArray(pipeline)) return fail(14, "'pipeline' option must be specified as an array")
  return pipeline.map(stage => (isDoc(stage) ? stage : fail(14, "Each element of the 'pipeline' array must be an object")))
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
async function countOnly(context: Context, name: string, stages: readonly Doc[]): Promise<Buffer[] | undefined> {
  const last = stages.at(-1)?.$group
  if (stages.length < 2 || !isDoc(last) || Object.keys(last).join() !== '_id,n' || !isDoc(last.n) || !isNumeric(last._id)) return undefined
  if (!isNumeric(last.n.$sum) || asInteger(last.n.$sum) !== 1 || Object.keys(last.n).length !== 1) return undefined
  const filter = stages[0]!.$match
  if (!isDoc(filter)) return undefined
  const query = {
    filter,
    hint: context.body.hint,
    vars: variables(context),
    collation: collationOf(findCollection(context, name), context.body.collation),
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
  const n = await countMatches(context, name, query)
  return n > 0 ? [encode({ _id: last._id, n })] : []
}
