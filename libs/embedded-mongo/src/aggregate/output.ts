import { namedArguments } from '../expressions/core.ts'
import { compileTransforms } from '../query/transforms.ts'
import { compileUpdatePipeline } from '../update/pipeline.ts'
import { fail } from '../values/errors.ts'
import { asDoc, copyDoc, type Doc, fieldNames, isDoc, setOwn, typeName } from '../values/values.ts'
import type { OutMode, PipelineEnv, Target } from './sink.ts'

export interface Output {
  readonly target: Target
  readonly mode: OutMode
}

/** Reads a last stage `$out` or `$merge`; undefined for any other stage. */
export function outputOf(stage: Doc, env: PipelineEnv): Output | undefined {
  if (Object.hasOwn(stage, '$out')) return { target: targetOf('$out', stage.$out, 'coll'), mode: { kind: 'replace' } }
  return Object.hasOwn(stage, '$merge') ? mergeOf(stage.$merge, env) : undefined
}

function targetOf(stage: string, arg: unknown, name: 'coll'): Target {
  if (typeof arg === 'string') return { db: undefined, collection: arg }
  const spec = isDoc(arg) ? arg : fail(16990, `${stage} only supports a string or object argument, but found ${typeName(arg)}`)
  const collection = spec[name]
  if (typeof collection !== 'string') return fail(16994, `${stage} needs a collection name`)
  if (spec.timeseries !== undefined) fail(115, 'time series collections are not supported by this engine')
  return { db: typeof spec.db === 'string' ? spec.db : undefined, collection }
}

const matchedModes = new Set(['replace', 'keepExisting', 'fail', 'merge'])
const notMatchedModes = new Set(['insert', 'discard', 'fail'])

function mergeOf(arg: unknown, env: PipelineEnv): Output {
  const spec: Doc = typeof arg === 'string' ? { into: arg } : namedArguments('$merge', arg, ['into'], ['on', 'let', 'whenMatched', 'whenNotMatched'])
  const on = spec.on === undefined ? ['_id'] : Array.isArray(spec.on) ? spec.on.map(String) : [String(spec.on)]
  const whenMatched = spec.whenMatched ?? 'merge'
  const whenNotMatched = spec.whenNotMatched ?? 'insert'
  if (typeof whenNotMatched !== 'string' || !notMatchedModes.has(whenNotMatched))
    return fail(2, `Enumeration value '${String(whenNotMatched)}' for field '$merge.whenNotMatched' is not a valid value.`)
  return {
    target: targetOf('$merge', spec.into, 'coll'),
    mode: { kind: 'merge', on, whenMatched: onMatch(whenMatched, spec, env), whenNotMatched: whenNotMatched as 'insert' | 'discard' | 'fail' },
  }
}

type WhenMatched = Extract<OutMode, { kind: 'merge' }>['whenMatched']

function onMatch(whenMatched: unknown, spec: Doc, env: PipelineEnv): WhenMatched {
  if (Array.isArray(whenMatched)) {
    compileUpdatePipeline(whenMatched, env.now, { ...env.let, new: {} }) // refuses a bad pipeline before anything is written
    const variables = asDoc(spec.let ?? {}) ?? fail(9, "$merge argument 'let' must be an object")
    return (existing, incoming) => {
      const values = compileTransforms([{ $replaceWith: variables }], env.now, { ...env.let, new: incoming })(incoming)
      return compileUpdatePipeline(whenMatched, env.now, { ...env.let, new: incoming, ...values })(existing)
    }
  }
  if (typeof whenMatched !== 'string' || !matchedModes.has(whenMatched))
    return fail(2, `Enumeration value '${String(whenMatched)}' for field '$merge.whenMatched' is not a valid value.`)
  return whenMatched === 'merge' ? merged : (whenMatched as 'replace' | 'keepExisting' | 'fail')
}

function merged(existing: Doc, incoming: Doc): Doc {
  const result = copyDoc(existing)
  for (const key of fieldNames(incoming)) setOwn(result, key, incoming[key])
  return result
}
