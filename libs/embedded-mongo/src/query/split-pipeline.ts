import { type Selection, selectionOf } from '../bson/decode.ts'
import { asDoc, asInteger, type Doc, isDoc } from '../values/values.ts'

export interface SplitPipeline {
  /** the filter of the leading `$match` stages; an empty one if there is none */
  readonly filter: Doc
  readonly sort: Doc | undefined
  readonly skip: number | undefined
  readonly limit: number | undefined
  /** what is left to `runPipeline` */
  readonly rest: readonly Doc[]
  /** the top-level fields that are needed of each document; undefined when it may be all of them */
  readonly fields: Fields | undefined
}

/** The top-level fields that a query and the stages after it read. */
export interface Fields {
  readonly all: Selection
  /** those that are read from a document that matches by the index alone */
  readonly afterFilter: Selection
}

/** Splits off the first stages of a pipeline, as far as a query can do them: `$match`, `$sort`, `$skip` and `$limit`, in that order. */
export function splitPipeline(stages: readonly Doc[]): SplitPipeline {
  let i = 0
  const argument = (name: string) =>
    isDoc(stages[i]) && Object.keys(stages[i]!).length === 1 && Object.hasOwn(stages[i]!, name) ? stages[i]![name] : undefined
  const filters: Doc[] = []
  for (let filter = argument('$match'); isDoc(filter); filter = argument('$match')) {
    if (Object.keys(filter).length > 0) filters.push(filter)
    i++
  }
  const filterEnd = i
  const sort = argument('$sort')
  const usableSort = isDoc(sort) && Object.keys(sort).length > 0 ? sort : undefined
  if (usableSort) i++
  const skip = asInteger(argument('$skip'))
  const usableSkip = skip !== undefined && skip >= 0 ? skip : undefined
  if (usableSkip !== undefined) i++
  const limit = asInteger(argument('$limit'))
  const usableLimit = limit !== undefined && limit > 0 ? limit : undefined
  if (usableLimit !== undefined) i++
  const filter = filters.length > 1 ? { $and: filters } : (filters[0] ?? {})
  const all = neededFields(stages)
  const fields = all && { all, afterFilter: neededFields(stages.slice(filterEnd)) ?? all }
  return { filter, sort: usableSort, skip: usableSkip, limit: usableLimit, rest: stages.slice(i), fields }
}

/** The top-level fields that a filter reads; undefined when it may read all of them. */
export function filterFields(filter: Doc): Selection | undefined {
  return fieldsOf(fields => ofFilter(filter, fields))
}

/** Thrown inside the walk when the whole document may be needed. */
const everything = Symbol('everything')

/** Stages after which only what they name exists. */
const narrowing = new Set(['$group', '$count', '$sortByCount', '$bucket', '$bucketAuto'])
const passing = new Set(['$limit', '$skip', '$sample'])

function neededFields(stages: readonly Doc[]): Selection | undefined {
  return fieldsOf(fields => {
    for (const stage of stages) {
      const [name = ''] = Object.keys(asDoc(stage) ?? {})
      const arg = stage[name]
      if (name === '$match') ofFilter(arg, fields)
      else if (name === '$sort') for (const path of Object.keys(asDoc(arg) ?? {})) fields.add(top(path))
      else if (name === '$unwind' || name === '$addFields' || name === '$set') ofExpression(arg, fields)
      else if (narrowing.has(name)) {
        ofExpression(arg, fields)
        return
      } else if (!passing.has(name)) throw everything
    }
    throw everything
  })
}

function fieldsOf(collect: (fields: Set<string>) => void): Selection | undefined {
  const fields = new Set<string>()
  try {
    collect(fields)
    return selectionOf(fields)
  } catch (reason) {
    if (reason === everything) return undefined
    throw reason
  }
}

function top(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}

function ofFilter(filter: unknown, fields: Set<string>): void {
  const doc = asDoc(filter)
  for (const key of Object.keys(doc ?? {})) {
    const condition = doc![key]
    if (key === '$and' || key === '$or' || key === '$nor') for (const clause of Array.isArray(condition) ? condition : []) ofFilter(clause, fields)
    else if (key === '$expr') ofExpression(condition, fields)
    else if (key === '$jsonSchema') throw everything
    else if (!key.startsWith('$')) fields.add(top(key))
  }
}

function ofExpression(expression: unknown, fields: Set<string>): void {
  if (typeof expression === 'string') {
    if (/^\$\$(ROOT|CURRENT)/.test(expression)) throw everything
    if (expression.startsWith('$') && !expression.startsWith('$$')) fields.add(top(expression.slice(1)))
    return
  }
  if (Array.isArray(expression)) {
    for (const element of expression) ofExpression(element, fields)
    return
  }
  const doc = isDoc(expression) ? expression : {}
  for (const key of Object.keys(doc)) {
    // These read fields by names that are no `$` paths.
    if (key === '$getField' || key === '$top' || key === '$bottom' || key === '$topN' || key === '$bottomN') throw everything
    ofExpression(doc[key], fields)
  }
}
