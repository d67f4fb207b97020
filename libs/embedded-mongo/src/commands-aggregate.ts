import { encode } from './bson-raw.ts'
import { countMatches } from './commands-count.ts'
import { answerWithCursor } from './commands-find.ts'
import { type Command, type Context, collectionName, optionalCount, optionalDoc, optionalDocs } from './context.ts'
import { fail } from './errors.ts'
import { checkCollation } from './index-spec.ts'
import { asInteger, type Doc, isDoc, isNumeric } from './values.ts'

const firstBatchSize = 101

export const aggregate: Command = {
  run: async context => {
    const { body } = context
    checkCollation(body.collation)
    const name = collectionName(context)
    const stages = optionalDocs(body, 'pipeline') ?? fail(40414, "BSON field 'aggregate.pipeline' is missing but a required field")
    const cursor = optionalDoc(body, 'cursor') ?? {}
    const namespace = `${context.db}.${name}`
    const counted = countOnly(context, name, stages)
    if (counted)
      return answerWithCursor(context, namespace, counted.values(), optionalCount(cursor, 'batchSize') ?? firstBatchSize, false, { isReached: false })
    return fail(115, 'aggregate is not there yet')
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

/** The pipeline of `countDocuments` is answered by counting, often without reading a document. */
function countOnly(context: Context, name: string, stages: readonly Doc[]): Buffer[] | undefined {
  const last = stages.at(-1)?.$group
  if (!isDoc(last) || Object.keys(last).join() !== '_id,n' || !isDoc(last.n) || !isNumeric(last._id)) return undefined
  if (!isNumeric(last.n.$sum) || asInteger(last.n.$sum) !== 1 || Object.keys(last.n).length !== 1) return undefined
  const filter = stages[0]!.$match
  if (!isDoc(filter)) return undefined
  const query = { filter, hint: context.body.hint, vars: optionalDoc(context.body, 'let'), skip: 0, limit: 0 }
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
