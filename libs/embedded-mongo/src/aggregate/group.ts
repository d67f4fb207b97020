import { Int32 } from 'bson'
import { type Accumulator, accumulators } from '../expressions/accumulators.ts'
import { type Expr, namedArguments, nullish, type Scope } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { compare } from '../values/order.ts'
import { compareSorted, parseSort, sortValues } from '../values/sort-keys.ts'
import { asInteger, type Doc, fieldNames, isDoc, setOwn, typeName } from '../values/values.ts'
import type { Sink, Stage, StageContext } from './sink.ts'
import { pushAll } from './sink.ts'

/** An accumulator that sees whole documents. */
interface Gatherer {
  add(doc: Doc): void
  result(): unknown
}

export type NewGatherer = () => Gatherer

interface Group {
  readonly id: unknown
  readonly gatherers: Gatherer[]
}

/** `$group`. */
export function groupStage(arg: unknown, { scope }: StageContext): Stage {
  const spec = isDoc(arg) ? arg : fail(15947, "a group's fields must be specified in an object")
  if (!Object.hasOwn(spec, '_id')) fail(15955, 'a group specification must include an _id')
  const id = compileExpression(spec._id, scope)
  const fields = gatheredFields(spec, scope)
  return next => new Grouping(id, fields, next)
}

/** The accumulated fields of `$group`, `$bucket` and `$bucketAuto`. */
function gatheredFields(spec: Doc, scope: Scope): { name: string; make: NewGatherer }[] {
  return fieldNames(spec)
    .filter(name => name !== '_id')
    .map(name => {
      if (name.includes('.')) fail(40235, `The field name '${name}' cannot contain '.'`)
      if (name.startsWith('$')) fail(40236, `The field name '${name}' cannot be an operator name`)
      return { name, make: compileGatherer(name, spec[name], scope) }
    })
}

class Grouping implements Sink {
  private readonly groups = new Map<unknown, Group>()
  private readonly id: Expr
  private readonly fields: { name: string; make: NewGatherer }[]
  private readonly next: Sink

  constructor(id: Expr, fields: { name: string; make: NewGatherer }[], next: Sink) {
    this.id = id
    this.fields = fields
    this.next = next
  }

  push(doc: Doc): boolean {
    const id = this.id(doc)
    const key = identity(id)
    let group = this.groups.get(key)
    if (!group) {
      group = { id: id ?? null, gatherers: this.fields.map(({ make }) => make()) }
      this.groups.set(key, group)
    }
    for (const gathering of group.gatherers) gathering.add(doc)
    return true
  }

  end(): void {
    pushAll(this.results(), this.next)
  }

  private *results(): Generator<Doc> {
    for (const { id, gatherers } of this.groups.values()) yield gathered({ _id: id }, this.fields, gatherers)
  }
}

function gathered(doc: Doc, fields: { name: string }[], gatherers: Gatherer[]): Doc {
  fields.forEach(({ name }, i) => {
    setOwn(doc, name, gatherers[i]!.result())
  })
  return doc
}

/** One accumulator over an expression, as a field of `$group` or a window gives it. */
export function compileGatherer(field: string, spec: unknown, scope: Scope): NewGatherer {
  if (!isDoc(spec)) return fail(40234, `The field '${field}' must be an accumulator object`)
  const names = Object.keys(spec)
  if (names.length !== 1) fail(40238, `The field '${field}' must specify one accumulator`)
  const [name] = names as [string]
  if (Object.hasOwn(accumulators, name)) return overExpression(accumulators[name]!, compileExpression(spec[name], scope))
  if (Object.hasOwn(special, name)) return special[name]!(spec[name], scope, name)
  if (['$accumulator', '$median', '$percentile'].includes(name)) fail(115, `${name} is not supported by this engine`)
  return fail(15952, `unknown group operator '${name}'`)
}

function overExpression(make: () => Accumulator, value: Expr): NewGatherer {
  return () => {
    const accumulator = make()
    return { add: doc => accumulator.add(value(doc)), result: () => accumulator.result() }
  }
}

type SpecialAccumulator = (arg: unknown, scope: Scope, name: string) => NewGatherer

/** Accumulators with more than one expression, or none. */
const special: Readonly<Record<string, SpecialAccumulator>> = {
  $count: arg => {
    if (!isDoc(arg) || Object.keys(arg).length > 0) fail(9, '$count takes no arguments, i.e. $count:{}')
    return overExpression(accumulators.$sum!, () => new Int32(1))
  },
  $top: (arg, scope) => sortedValues('$top', arg, scope, false, values => values[0] ?? null),
  $bottom: (arg, scope) => sortedValues('$bottom', arg, scope, false, values => values.at(-1) ?? null),
  $topN: (arg, scope) => sortedValues('$topN', arg, scope, true, (values, n) => values.slice(0, n)),
  $bottomN: (arg, scope) => sortedValues('$bottomN', arg, scope, true, (values, n) => values.slice(-n)),
  $firstN: (arg, scope) => inputValues('$firstN', arg, scope, (values, n) => values.slice(0, n)),
  $lastN: (arg, scope) => inputValues('$lastN', arg, scope, (values, n) => values.slice(-n)),
  $minN: (arg, scope) =>
    inputValues('$minN', arg, scope, (values, n) =>
      values
        .filter(v => !nullish(v))
        .sort(compare)
        .slice(0, n),
    ),
  $maxN: (arg, scope) =>
    inputValues('$maxN', arg, scope, (values, n) =>
      values
        .filter(v => !nullish(v))
        .sort((a, b) => compare(b, a))
        .slice(0, n),
    ),
}

function count(n: Expr): number {
  const value = asInteger(n({}))
  return value === undefined || value <= 0 ? fail(5787902, `'n' must be a positive integer`) : value
}

function inputValues(name: string, arg: unknown, scope: Scope, choose: (values: unknown[], n: number) => unknown): NewGatherer {
  const fields = namedArguments(name, arg, ['input', 'n'], [])
  const input = compileExpression(fields.input, scope)
  const n = compileExpression(fields.n, scope)
  return () => {
    const values: unknown[] = []
    return {
      add: doc => {
        values.push(input(doc) ?? null)
      },
      result: () => choose(values, count(n)),
    }
  }
}

function sortedValues(name: string, arg: unknown, scope: Scope, counted: boolean, choose: (values: unknown[], n: number) => unknown): NewGatherer {
  const fields = namedArguments(name, arg, counted ? ['sortBy', 'output', 'n'] : ['sortBy', 'output'], [])
  const keys = parseSort(isDoc(fields.sortBy) ? fields.sortBy : fail(5788604, `expected 'sortBy' to be an object, found ${typeName(fields.sortBy)}`))
  const output = compileExpression(fields.output, scope)
  const n = counted ? compileExpression(fields.n, scope) : undefined
  return () => {
    const rows: { by: unknown[]; value: unknown }[] = []
    return {
      add: doc => {
        rows.push({ by: sortValues(doc, keys), value: output(doc) ?? null })
      },
      result: () => {
        rows.sort((a, b) => compareSorted(a.by, b.by, keys))
        return choose(
          rows.map(({ value }) => value),
          n ? count(n) : 1,
        )
      },
    }
  }
}

const counting: Doc = { count: { $sum: new Int32(1) } }

/** `$bucket`: groups by the boundaries between which a value lies. */
export function bucketStage(arg: unknown, { scope }: StageContext): Stage {
  const spec = namedArguments('$bucket', arg, ['groupBy', 'boundaries'], ['default', 'output'])
  const by = compileExpression(spec.groupBy, scope)
  const bounds = (Array.isArray(spec.boundaries) ? spec.boundaries : fail(40200, "The $bucket 'boundaries' field must be an array")).map(bound =>
    compileExpression(bound, scope)({}),
  )
  if (bounds.length < 2) fail(40192, "The $bucket 'boundaries' field must have at least 2 values")
  for (let i = 1; i < bounds.length; i++) if (compare(bounds[i - 1], bounds[i]) >= 0) fail(40194, "The 'boundaries' option to $bucket must be sorted")
  const otherwise = Object.hasOwn(spec, 'default') ? compileExpression(spec.default, scope)({}) : undefined
  const id: Expr = doc => {
    const value = by(doc)
    const upper = bounds.findIndex(bound => compare(value, bound) < 0)
    if (upper > 0) return bounds[upper - 1]
    return otherwise === undefined ? fail(40066, '$switch could not find a matching branch for an input, and no default was specified.') : otherwise
  }
  const fields = gatheredFields(isDoc(spec.output) ? spec.output : counting, scope)
  return next => new Grouping(id, fields, sortedById(next))
}

function sortedById(next: Sink): Sink {
  const docs: Doc[] = []
  return {
    push: doc => {
      docs.push(doc)
      return true
    },
    end: () =>
      pushAll(
        docs.sort((a, b) => compare(a._id, b._id)),
        next,
      ),
  }
}

/** `$bucketAuto`: about equally many documents to a bucket, equal values never parted. */
export function bucketAutoStage(arg: unknown, { scope }: StageContext): Stage {
  const spec = namedArguments('$bucketAuto', arg, ['groupBy', 'buckets'], ['output', 'granularity'])
  if (spec.granularity !== undefined) fail(115, '$bucketAuto with granularity is not supported by this engine')
  const buckets = asInteger(spec.buckets) ?? fail(40241, "The $bucketAuto 'buckets' field must be a 32-bit integer")
  if (buckets <= 0) fail(40243, "The $bucketAuto 'buckets' field must be greater than 0")
  const by = compileExpression(spec.groupBy, scope)
  const fields = gatheredFields(isDoc(spec.output) ? spec.output : counting, scope)
  return next => {
    const rows: { value: unknown; doc: Doc }[] = []
    return {
      push: doc => {
        rows.push({ value: by(doc) ?? null, doc })
        return true
      },
      end: () => pushAll(autoBuckets(rows, buckets, fields), next),
    }
  }
}

function autoBuckets(rows: { value: unknown; doc: Doc }[], buckets: number, fields: { name: string; make: NewGatherer }[]): Doc[] {
  rows.sort((a, b) => compare(a.value, b.value))
  const size = Math.max(1, Math.round(rows.length / buckets))
  const results: Doc[] = []
  let from = 0
  while (from < rows.length) {
    let to = results.length === buckets - 1 ? rows.length : Math.min(from + size, rows.length)
    while (to < rows.length && compare(rows[to]!.value, rows[to - 1]!.value) === 0) to++
    const gatherers = fields.map(({ make }) => make())
    for (const { doc } of rows.slice(from, to)) for (const gathering of gatherers) gathering.add(doc)
    const max = to < rows.length ? rows[to]!.value : rows[to - 1]!.value
    results.push(gathered({ _id: { min: rows[from]!.value, max } }, fields, gatherers))
    from = to
  }
  return results
}
