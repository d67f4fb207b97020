import { namedArguments } from '../expressions/core.ts'
import { fail } from '../values/errors.ts'
import { type Doc, isDoc, setOwn } from '../values/values.ts'
import { connect, type Stage, type StageContext } from './sink.ts'

const methods: Readonly<Record<string, string>> = { locf: '$locf', linear: '$linearFill' }

/** `$fill`: a missing value becomes a given value, the last value before it, or a value between the previous and the next one. */
export function fillStage(arg: unknown, context: StageContext): Stage {
  const spec = namedArguments('$fill', arg, ['output'], ['partitionBy', 'partitionByFields', 'sortBy'])
  if (spec.partitionBy !== undefined && spec.partitionByFields !== undefined)
    fail(6050204, 'Maximum one of partitionBy and partitionByFields can be specified in $fill')
  const windows: Doc = {}
  const values: Doc = {}
  const output = isDoc(spec.output) ? spec.output : fail(14, "BSON field '$fill.output' is the wrong type, expected type 'object'")
  for (const field of Object.keys(output)) {
    const fill = isDoc(output[field]) ? output[field] : fail(14, `BSON field '$fill.output.${field}' must be an object`)
    if (fill.method === undefined)
      setOwn(values, field, { $ifNull: [`$${field}`, fill.value ?? fail(6050203, "$fill needs a 'value' or a 'method' for each field")] })
    else {
      const method = Object.hasOwn(methods, String(fill.method))
        ? methods[String(fill.method)]!
        : fail(6050202, 'Method must be either locf or linear')
      if (spec.sortBy === undefined && method === '$linearFill') fail(605001, '$linearFill must be specified with a top level sortBy expression')
      setOwn(windows, field, { [method]: `$${field}` })
    }
  }
  const stages: Doc[] = []
  if (Object.keys(windows).length > 0) stages.push({ $setWindowFields: windowSpec(spec, windows) })
  if (Object.keys(values).length > 0) stages.push({ $addFields: values })
  const compiled = context.compileInner(stages, context.scope).stages
  return next => connect(compiled, next)
}

function windowSpec({ partitionBy, partitionByFields, sortBy }: Doc, output: Doc): Doc {
  const spec: Doc = { output }
  if (sortBy !== undefined) spec.sortBy = sortBy
  if (Array.isArray(partitionByFields)) spec.partitionBy = Object.fromEntries(partitionByFields.map((field, i) => [`f${i}`, `$${String(field)}`]))
  else if (partitionBy !== undefined) spec.partitionBy = partitionBy
  return spec
}
