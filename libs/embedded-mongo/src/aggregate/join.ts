import { Long } from 'bson'
import { type Box, checkVariableName, namedArguments, nullish, withVariable } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import { compileFilter } from '../query/match.ts'
import { fail } from '../values/errors.ts'
import { identity } from '../values/key.ts'
import { anyAt } from '../values/path.ts'
import { asDoc, asInteger, copyDoc, type Doc, isDoc, typeName } from '../values/values.ts'
import { pushAll, runStages, type Sink, type Stage, type StageContext } from './sink.ts'
import { withPath } from './unwind.ts'

/** Documents that are joined together: one read of the other collection serves them all. */
const batchSize = 1000

/** `$lookup`, by equality of fields, by a pipeline, or both. */
export function lookupStage(arg: unknown, context: StageContext): Stage {
  const spec = namedArguments('$lookup', arg, ['as'], ['from', 'localField', 'foreignField', 'let', 'pipeline'])
  const as = text(spec.as, '$lookup', 'as')
  const join = spec.pipeline === undefined ? fieldJoin(spec, context) : pipelineJoin(spec, context)
  return next => new Batching(docs => join(docs).map((found, i) => withPath(docs[i]!, as.split('.'), found)), next)
}

/** For each of some documents the documents that belong to it. */
type Join = (docs: Doc[]) => Doc[][]

class Batching implements Sink {
  private batch: Doc[] = []
  private wantsMore = true
  private readonly apply: (docs: Doc[]) => Doc[]
  private readonly next: Sink

  constructor(apply: (docs: Doc[]) => Doc[], next: Sink) {
    this.apply = apply
    this.next = next
  }

  push(doc: Doc): boolean {
    this.batch.push(doc)
    if (this.batch.length >= batchSize) this.flush()
    return this.wantsMore
  }

  end(): void {
    if (this.wantsMore) this.flush()
    this.next.end()
  }

  private flush(): void {
    const docs = this.batch
    this.batch = []
    if (docs.length > 0) for (const doc of this.apply(docs)) if (this.wantsMore) this.wantsMore = this.next.push(doc)
  }
}

function text(v: unknown, stage: string, name: string): string {
  return typeof v === 'string' && v !== '' ? v : fail(40321, `${stage} argument '${name}: ${String(v)}' must be a string, is type ${typeName(v)}`)
}

function fieldJoin(spec: Doc, { env }: StageContext): Join {
  const from = text(spec.from, '$lookup', 'from')
  const local = valuesAt(text(spec.localField, '$lookup', 'localField'), false)
  const foreignField = text(spec.foreignField, '$lookup', 'foreignField')
  const foreign = valuesAt(foreignField, true)
  return docs => {
    const wanted = docs.map(local)
    const distinct = new Map(wanted.flat().map(v => [identity(v), v ?? null]))
    const byValue = new Map<unknown, Doc[]>()
    if (distinct.size === 0) return docs.map(() => [])
    const order = new Map<Doc, number>()
    for (const doc of env.lookup(from, { [foreignField]: { $in: [...distinct.values()] } })) {
      order.set(doc, order.size)
      for (const key of new Set(foreign(doc).map(identity))) if (distinct.has(key)) listUnder(byValue, key, doc)
    }
    return wanted.map(values => {
      if (values.length === 1) return byValue.get(identity(values[0])) ?? []
      const found = new Set(values.flatMap(v => byValue.get(identity(v)) ?? []))
      return [...found].sort((a, b) => order.get(a)! - order.get(b)!)
    })
  }
}

function listUnder(lists: Map<unknown, Doc[]>, key: unknown, doc: Doc): void {
  const list = lists.get(key)
  if (list) list.push(doc)
  else lists.set(key, [doc])
}

/** The values at a path, arrays opened; the arrays themselves too when `whole`. */
function valuesAt(path: string, whole: boolean): (doc: Doc) => unknown[] {
  let values: unknown[] = []
  const visit = anyAt(
    path,
    v => {
      if (whole || !Array.isArray(v)) values.push(v)
      return false
    },
    true,
  )
  return doc => {
    values = []
    visit(doc)
    return values
  }
}

function pipelineJoin(spec: Doc, context: StageContext): Join {
  const stages = Array.isArray(spec.pipeline) ? spec.pipeline : fail(9, `'pipeline' option must be specified as an array`)
  const outer = asDoc(spec.let ?? {}) ?? fail(9, "$lookup argument 'let' must be an object")
  const bindings = Object.keys(outer).map(name => ({
    name: checkVariableName(name),
    value: compileExpression(outer[name], context.scope),
    box: { value: undefined } as Box,
  }))
  const scope = bindings.reduce((inner, { name, box }) => withVariable(inner, name, box), context.scope)
  const { stages: compiled, source } = context.compileInner(stages, scope)
  const from = source ? undefined : text(spec.from, '$lookup', 'from')
  const match = leadingMatch(stages)
  const byField = spec.localField === undefined ? undefined : fieldJoin(spec, context)
  let whole: Doc[] | undefined
  const all = () => {
    whole ??= [...(source ? source() : context.env.lookup(from!, match))]
    return whole
  }
  return docs => {
    const candidates = byField?.(docs)
    const constant = !candidates && bindings.length === 0 ? runStages(compiled, all()) : undefined
    return docs.map((doc, i) => {
      if (constant) return constant
      const values = bindings.map(({ value }) => value(doc))
      bindings.forEach(({ box }, k) => {
        box.value = values[k]
      })
      return runStages(compiled, candidates ? candidates[i]! : all())
    })
  }
}

/** `$unionWith`: after the documents that come in, those of another collection. */
export function unionStage(arg: unknown, context: StageContext): Stage {
  const spec = typeof arg === 'string' ? { coll: arg } : namedArguments('$unionWith', arg, [], ['coll', 'pipeline'])
  const stages = Array.isArray(spec.pipeline) ? spec.pipeline : []
  const { stages: compiled, source } = context.compileInner(stages, context.scope)
  const coll = source ? undefined : text(spec.coll, '$unionWith', 'coll')
  const match = leadingMatch(stages)
  return next => ({
    push: doc => next.push(doc),
    end: () => pushAll(runStages(compiled, source ? source() : context.env.lookup(coll!, match)), next),
  })
}

/** What a pipeline's first stage lets through, where an index can find it. */
function leadingMatch([first]: readonly unknown[]): Doc | undefined {
  return isDoc(first) && isDoc(first.$match) && !Object.hasOwn(first.$match, '$expr') ? first.$match : undefined
}

/** `$graphLookup`: the documents reached from each one over steps of equality. */
export function graphLookupStage(arg: unknown, context: StageContext): Stage {
  const spec = namedArguments(
    '$graphLookup',
    arg,
    ['from', 'startWith', 'connectFromField', 'connectToField', 'as'],
    ['maxDepth', 'depthField', 'restrictSearchWithMatch'],
  )
  const from = text(spec.from, '$graphLookup', 'from')
  const start = compileExpression(spec.startWith, context.scope)
  const step = valuesAt(text(spec.connectFromField, '$graphLookup', 'connectFromField'), false)
  const target = valuesAt(text(spec.connectToField, '$graphLookup', 'connectToField'), true)
  const as = text(spec.as, '$graphLookup', 'as').split('.')
  const maxDepth = spec.maxDepth === undefined ? Infinity : (asInteger(spec.maxDepth) ?? fail(40100, 'maxDepth must be numeric'))
  const depthField = spec.depthField === undefined ? undefined : text(spec.depthField, '$graphLookup', 'depthField').split('.')
  const allowed = compileFilter(asDoc(spec.restrictSearchWithMatch ?? {}) ?? fail(40185, 'restrictSearchWithMatch must be an object'))
  const index = () => {
    const byTarget = new Map<unknown, Doc[]>()
    for (const doc of context.env.lookup(from)) {
      if (allowed(doc)) for (const key of new Set(target(doc).map(identity))) listUnder(byTarget, key, doc)
    }
    return byTarget
  }
  return next => {
    let byTarget: Map<unknown, Doc[]> | undefined
    const reach = (first: unknown[]) => {
      byTarget ??= index()
      const reached = new Map<unknown, Doc>()
      let frontier = first
      for (let depth = 0; frontier.length > 0 && depth <= maxDepth; depth++) {
        const fresh: Doc[] = []
        for (const value of frontier) {
          for (const doc of byTarget.get(identity(value)) ?? []) {
            const key = identity(doc._id)
            if (reached.has(key)) continue
            reached.set(key, depthField ? withPath(doc, depthField, Long.fromNumber(depth)) : doc)
            fresh.push(doc)
          }
        }
        frontier = fresh.flatMap(step).filter(v => !nullish(v))
      }
      return [...reached.values()]
    }
    return {
      push: doc => {
        const value = start(doc)
        return next.push(withPath(copyDoc(doc), as, reach(Array.isArray(value) ? value : [value])))
      },
      end: () => next.end(),
    }
  }
}
