import { Int32, Long } from 'bson'
import { compileExpression } from '../expressions/expression.ts'
import { compileMatcher } from '../query/match.ts'
import { transforms } from '../query/transforms.ts'
import { fail } from '../values/errors.ts'
import { sortDocs } from '../values/sort-docs.ts'
import { asDoc, asInteger, asNumber, copyDoc, type Doc, fieldNames, isDoc, isNumeric, setOwn, typeName } from '../values/values.ts'
import { densifyStage } from './densify.ts'
import { fillStage } from './fill.ts'
import { bucketAutoStage, bucketStage, groupStage } from './group.ts'
import { graphLookupStage, lookupStage, unionStage } from './join.ts'
import { collector, connect, pushAll, type Sink, type Stage, type StageContext } from './sink.ts'
import { unwindStage } from './unwind.ts'
import { windowStage } from './window.ts'

export type NewStage = (arg: unknown, context: StageContext) => Stage

/** Stages by name. */
export const stages: Readonly<Record<string, NewStage>> = {
  $match: matchStage,
  $group: groupStage,
  $sort: sortStage,
  $limit: limitStage,
  $skip: skipStage,
  $count: countStage,
  $unwind: unwindStage,
  $lookup: lookupStage,
  $graphLookup: graphLookupStage,
  $unionWith: unionStage,
  $facet: facetStage,
  $bucket: bucketStage,
  $bucketAuto: bucketAutoStage,
  $sortByCount: sortByCountStage,
  $sample: sampleStage,
  $redact: redactStage,
  $setWindowFields: windowStage,
  $densify: densifyStage,
  $fill: fillStage,
  ...Object.fromEntries(Object.entries(transforms).map(([name, transform]) => [name, mapStage(transform)])),
}

function mapStage(transform: (arg: unknown, scope: StageContext['scope']) => (doc: Doc) => Doc): NewStage {
  return (arg, { scope }) => {
    const apply = transform(arg, scope)
    return next => ({ push: doc => next.push(apply(doc)), end: () => next.end() })
  }
}

function matchStage(arg: unknown, { scope }: StageContext): Stage {
  const filter = isDoc(arg) ? arg : fail(15959, 'the match filter must be an expression in an object')
  const matches = compileMatcher(filter, { scope })
  return next => ({ push: doc => !matches(doc) || next.push(doc), end: () => next.end() })
}

function sortStage(arg: unknown): Stage {
  const spec = isDoc(arg) ? arg : fail(15973, 'the $sort key specification must be an object')
  if (Object.keys(spec).length === 0) fail(15976, '$sort stage must have at least one sort key')
  sortDocs([], spec)
  return next => gathering(next, docs => sortDocs(docs, spec))
}

/** A stage that must see all documents first. */
function gathering(next: Sink, result: (docs: Doc[]) => Iterable<Doc>): Sink {
  const docs: Doc[] = []
  return {
    push: doc => {
      docs.push(doc)
      return true
    },
    end: () => pushAll(result(docs), next),
  }
}

function limitStage(arg: unknown): Stage {
  const limit = asInteger(arg) ?? fail(2107201, `invalid argument to $limit stage: Expected a number in: $limit: ${String(arg)}`)
  if (limit <= 0) fail(15958, 'the limit must be positive')
  return next => {
    let left = limit
    return { push: doc => left-- > 0 && next.push(doc) && left > 0, end: () => next.end() }
  }
}

function skipStage(arg: unknown): Stage {
  const skip = asInteger(arg) ?? fail(2107200, `invalid argument to $skip stage: Expected a number in: $skip: ${String(arg)}`)
  if (skip < 0) fail(2107200, 'invalid argument to $skip stage: Expected a non-negative number')
  return next => {
    let left = skip
    return { push: doc => left-- > 0 || next.push(doc), end: () => next.end() }
  }
}

function countStage(arg: unknown): Stage {
  if (typeof arg !== 'string' || arg === '') return fail(40156, 'the count field must be a non-empty string')
  if (arg.startsWith('$')) fail(40158, 'the count field cannot be a $-prefixed path')
  if (arg.includes('.')) fail(40160, "the count field cannot contain '.'")
  return next => {
    let count = 0
    return {
      push: () => {
        count++
        return true
      },
      end: () => pushAll(count > 0 ? [counted(arg, count)] : [], next),
    }
  }
}

function counted(name: string, count: number): Doc {
  const doc: Doc = {}
  setOwn(doc, name, count === (count | 0) ? new Int32(count) : Long.fromNumber(count))
  return doc
}

const notInFacet = new Set(['$out', '$merge', '$facet', '$collStats', '$indexStats', '$geoNear', '$documents'])

function facetStage(arg: unknown, context: StageContext): Stage {
  const spec = isDoc(arg) && Object.keys(arg).length > 0 ? arg : fail(40169, 'the $facet specification must be a non-empty object')
  const facets = fieldNames(spec).map(name => {
    const pipeline = Array.isArray(spec[name])
      ? (spec[name] as Doc[])
      : fail(40170, `arguments to $facet must be arrays, ${name} is type ${typeName(spec[name])}`)
    const forbidden = pipeline.flatMap(stage => Object.keys(asDoc(stage) ?? {})).find(stage => notInFacet.has(stage))
    if (forbidden) fail(40600, `${forbidden} is not allowed to be used within a $facet stage`)
    return { name, stages: context.compileInner(pipeline, context.scope).stages }
  })
  return next => {
    const running = facets.map(({ name, stages: inner }) => {
      const docs: Doc[] = []
      return { name, docs, head: connect(inner, collector(docs)), open: true }
    })
    return {
      push: doc => {
        for (const facet of running) if (facet.open) facet.open = facet.head.push(doc)
        return true
      },
      end: () => {
        const result: Doc = {}
        for (const { name, docs, head } of running) {
          head.end()
          setOwn(result, name, docs)
        }
        pushAll([result], next)
      },
    }
  }
}

function sortByCountStage(arg: unknown, context: StageContext): Stage {
  const group = groupStage({ _id: arg, count: { $sum: new Int32(1) } }, context)
  const sort = sortStage({ count: new Int32(-1) })
  return next => group(sort(next))
}

function sampleStage(arg: unknown): Stage {
  const size =
    isDoc(arg) && isNumeric(arg.size) ? asNumber(arg.size) : fail(28745, 'the $sample stage specification must be an object with a numeric size')
  if (!Number.isInteger(size) || size <= 0) fail(28747, 'size argument to $sample must be a positive integer')
  return next => gathering(next, docs => chosen(docs, size))
}

/** The first part of a Fisher-Yates shuffle. */
function chosen(docs: Doc[], size: number): Doc[] {
  for (let i = 0; i < Math.min(size, docs.length); i++) {
    const k = i + Math.floor(Math.random() * (docs.length - i))
    const swapped = docs[i]!
    docs[i] = docs[k]!
    docs[k] = swapped
  }
  return docs.slice(0, size)
}

function redactStage(arg: unknown, { scope }: StageContext): Stage {
  const decide = compileExpression(arg, scope)
  const redacted = (doc: Doc): Doc | undefined => {
    const decision = decide(doc)
    if (decision === '$$KEEP') return doc
    if (decision === '$$PRUNE') return undefined
    if (decision !== '$$DESCEND')
      return fail(
        17053,
        `$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE, but returned ${String(decision)}`,
      )
    const copy = copyDoc(doc)
    for (const key of Object.keys(copy)) {
      const value = inner(copy[key])
      if (value === undefined) delete copy[key]
      else setOwn(copy, key, value)
    }
    return copy
  }
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner).filter(v => v !== undefined)
    const doc = asDoc(value)
    return doc ? redacted(doc) : value
  }
  return next => ({
    push: doc => {
      const visible = redacted(doc)
      return visible === undefined || next.push(visible)
    },
    end: () => next.end(),
  })
}
