import { scopeWith } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import { fail } from '../values/errors.ts'
import { asDoc, type Doc, isDoc } from '../values/values.ts'
import { outputOf } from './output.ts'
import { type CompiledPipeline, collector, connect, type PipelineContext, type PipelineEnv, type Stage, type StageContext } from './sink.ts'
import { stages as table } from './stages.ts'

/** Known to MongoDB, not to this engine. */
const unsupported = new Set([
  '$changeStreamSplitLargeEvent',
  '$search',
  '$searchMeta',
  '$vectorSearch',
  '$rankFusion',
  '$planCacheStats',
  '$queryStats',
  '$listSearchIndexes',
  '$listSampledQueries',
  '$shardedDataDistribution',
])

/** Stages that read something else than the collection; they can only come first. */
const sources = new Set(['$documents', '$collStats', '$indexStats', '$currentOp', '$listSessions', '$listLocalSessions'])

/**
 * Runs an aggregation pipeline. Documents stream through it as far as its stages allow; `$out` and `$merge` are written through the
 * environment when the last document has come, and yield nothing.
 * @throws MongoError 40324 for an unknown stage, 115 for one that this engine leaves out, 40323 for a stage that is not one
 */
export async function* runPipeline(stages: readonly Doc[], source: AsyncIterable<Doc> | Iterable<Doc>, env: PipelineEnv): AsyncGenerator<Doc> {
  const last = stages.at(-1)
  const output = isDoc(last) ? outputOf(last, env) : undefined
  const compiled = compileStages(output ? stages.slice(0, -1) : stages, { env, scope: scopeWith(env.now, env.let) }, 'outer')
  const ready: Doc[] = []
  const head = connect(compiled.stages, collector(ready))
  const docs = compiled.source?.() ?? source
  if (Symbol.asyncIterator in docs) {
    for await (const doc of docs) {
      const wantsMore = head.push(doc)
      if (ready.length > 0 && !output) yield* ready.splice(0)
      if (!wantsMore) break
    }
  } else {
    for (const doc of docs) {
      const wantsMore = head.push(doc)
      if (ready.length > 0 && !output) yield* ready.splice(0)
      if (!wantsMore) break
    }
  }
  head.end()
  if (!output) yield* ready
  else if (env.out) await env.out(output.target, ready, output.mode)
  else fail(115, 'writing the result of an aggregation is not possible here')
}

/** Compiles the stages of a pipeline, or of one inside a stage, where nothing can be written. */
export function compileStages(stages: readonly unknown[], { env, scope }: PipelineContext, place: 'outer' | 'inner'): CompiledPipeline {
  const context: StageContext = { env, scope, compileInner: (inner, innerScope) => compileStages(inner, { env, scope: innerScope }, 'inner') }
  let source: CompiledPipeline['source']
  const compiled: Stage[] = []
  stages.forEach((stage, i) => {
    const doc = asDoc(stage) ?? fail(14, "Each element of the 'pipeline' array must be an object")
    const names = Object.keys(doc)
    if (names.length !== 1) fail(40323, 'A pipeline stage specification object must contain exactly one field.')
    const [name] = names as [string]
    if (sources.has(name)) {
      if (i > 0) fail(40602, `${name} is only valid as the first stage in the pipeline.`)
      source = sourceOf(name, doc[name], context)
    } else compiled.push(stageOf(name, doc[name], context, place))
  })
  return { stages: compiled, source }
}

function stageOf(name: string, arg: unknown, context: StageContext, place: 'outer' | 'inner'): Stage {
  if (Object.hasOwn(table, name)) return table[name]!(arg, context)
  if (name === '$out' || name === '$merge')
    return fail(
      place === 'outer' ? 40601 : 51047,
      place === 'outer' ? `${name} can only be the final stage in the pipeline` : `${name} is not allowed within an inner pipeline`,
    )
  if (name === '$changeStream' || name === '$geoNear') return fail(40602, `${name} is only valid as the first stage in a pipeline`)
  return unsupported.has(name) ? fail(115, `${name} is not supported by this engine`) : fail(40324, `Unrecognized pipeline stage name: '${name}'`)
}

function sourceOf(name: string, spec: unknown, { env, scope }: PipelineContext): () => Iterable<Doc> {
  if (name !== '$documents') return () => env.source?.(name, spec) ?? fail(115, `${name} is not supported by this engine`)
  const documents = compileExpression(spec, scope)
  return () => {
    const docs = documents({})
    if (!Array.isArray(docs) || !docs.every(isDoc)) return fail(5858203, '$documents expects an array of objects')
    return docs
  }
}
