import { type Scope, scopeWith } from '../expressions/core.ts'
import { compileExpression, isOperatorExpression } from '../expressions/expression.ts'
import { fail } from '../values/errors.ts'
import type { Position } from '../values/path.ts'
import { asInteger, type Doc, fieldNames, isDoc, isNumeric, isTruthy, typeName } from '../values/values.ts'
import { compileElementFilter, compileMatcher } from './match.ts'
import { type Branch, exclude, include, type Leaf, newBranch, plant } from './projection-tree.ts'

type Special = (arg: unknown, path: string) => Leaf

/** Operators that only find's projections have. */
const findOperators: Readonly<Record<string, Special>> = {
  $elemMatch: arg => {
    const test = compileElementFilter(isDoc(arg) ? arg : fail(2, 'elemMatch: Invalid argument, object required.'))
    return {
      kind: 'map',
      map: value => {
        const found = Array.isArray(value) ? value.findIndex(test) : -1
        return found < 0 ? undefined : [(value as unknown[])[found]]
      },
    }
  },
  $slice: arg => {
    const [skip, count] = sliceBounds(arg)
    return { kind: 'map', map: value => (Array.isArray(value) ? sliced(value, skip, count) : value) }
  },
  $meta: () => fail(115, '$meta is not supported by this engine'),
}

/**
 * Compiles a projection of `find` or `findAndModify`; the filter that chose the documents is for the positional operator.
 * @throws MongoError 31253/31254 for a mixture of inclusion and exclusion, 31249/31250 for colliding paths, 115 for `$meta`
 * @example compileProjection({ name: new Int32(1), _id: new Int32(0) })(doc)
 */
export function compileProjection(projection: Doc, filter: Doc = {}, vars?: Doc, now: Date = new Date()): (doc: Doc) => Doc {
  return compileFields(projection, scopeWith(now, vars), { filter, vars })
}

/** Compiles the argument of `$project`, or of find when the filter is given: find has operators and placeholders of its own. */
export function compileFields(spec: Doc, scope: Scope, find?: { filter: Doc; vars?: Doc | undefined }): (doc: Doc) => Doc {
  const reader = new Reader(scope, find)
  reader.read(spec, '')
  if (reader.mode === 'exclude') return doc => exclude(doc, reader.tree, doc)
  if (reader.mode === undefined && reader.onlyId !== 'include' && !reader.computes) {
    return Object.keys(spec).length === 0 ? doc => doc : doc => exclude(doc, reader.tree, doc)
  }
  if (!reader.tree.children.has('_id')) reader.tree.children.set('_id', { kind: 'include' })
  return doc => include(doc, reader.tree, doc)
}

/** Reads a specification into a tree; it is a class because mode and tree grow together over the recursion. */
class Reader {
  readonly tree: Branch = newBranch()
  mode: 'include' | 'exclude' | undefined
  onlyId: 'include' | 'exclude' | undefined
  computes = false
  private readonly scope: Scope
  private readonly find: { filter: Doc; vars?: Doc | undefined } | undefined

  constructor(scope: Scope, find: { filter: Doc; vars?: Doc | undefined } | undefined) {
    this.scope = scope
    this.find = find
  }

  read(spec: Doc, prefix: string): void {
    for (const key of fieldNames(spec)) this.field(`${prefix}${key}`, spec[key])
  }

  private field(path: string, value: unknown): void {
    if (typeof value === 'boolean' || isNumeric(value)) {
      this.includeOrExclude(path, isTruthy(value) ? 'include' : 'exclude')
      return
    }
    if (isDoc(value) && !isOperatorExpression(value)) {
      if (Object.keys(value).length === 0) fail(51270, 'An empty sub-projection is not a valid value. Found empty object at path')
      this.read(value, `${path}.`)
      return
    }
    const special = this.find && isDoc(value) ? specialLeaf(value, path) : undefined
    if (special) {
      if (Object.hasOwn(value as Doc, '$elemMatch')) this.setMode('include', path)
      plant(this.tree, path, special)
      return
    }
    if (this.mode === 'exclude') fail(31252, `Cannot use an expression for field ${path} in an exclusion projection`)
    this.computes = true
    plant(this.tree, path, { kind: 'compute', value: compileExpression(value, this.scope) })
  }

  private includeOrExclude(path: string, kind: 'include' | 'exclude'): void {
    if (this.find && kind === 'include' && /(^|\.)\$(\.|$)/.test(path)) {
      this.positional(path)
      return
    }
    if (path === '_id') this.onlyId = kind
    else this.setMode(kind, path)
    plant(this.tree, path, { kind })
  }

  private setMode(kind: 'include' | 'exclude', path: string): void {
    if (kind === 'exclude' && (this.mode === 'include' || this.computes)) fail(31254, `Cannot do exclusion on field ${path} in inclusion projection`)
    if (kind === 'include' && this.mode === 'exclude') fail(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
    this.mode = kind
  }

  private positional(path: string): void {
    if (!path.endsWith('.$') || path.slice(0, -2).split('.').includes('$'))
      fail(31394, "As of 4.4, it's illegal to specify positional operator in the middle of a path.")
    this.setMode('include', path)
    const matcher = compileMatcher(this.find!.filter, { vars: this.find!.vars })
    plant(this.tree, path.slice(0, -2), {
      kind: 'map',
      map: (value, root) => {
        if (!Array.isArray(value)) return value
        const at: Position = {}
        matcher(root, at)
        if (at.index === undefined || at.index >= value.length)
          return fail(
            51246,
            "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
          )
        return [value[at.index]]
      },
    })
  }
}

function specialLeaf(value: Doc, path: string): Leaf | undefined {
  const [operator] = Object.keys(value) as [string]
  if (!Object.hasOwn(findOperators, operator)) return undefined
  if (operator === '$slice' && Array.isArray(value.$slice) && !isNumeric(value.$slice[0])) return undefined
  return findOperators[operator]!(value[operator], path)
}

function sliceBounds(arg: unknown): [number | undefined, number] {
  const whole = (v: unknown) =>
    isNumeric(v)
      ? (asInteger(v) ?? fail(28667, '$slice needs whole numbers'))
      : fail(28667, `Invalid $slice syntax. The given syntax did not match the find() syntax because :: found ${typeName(v)}`)
  if (!Array.isArray(arg)) return [undefined, whole(arg)]
  if (arg.length !== 2) fail(28667, `Expression $slice takes at least 2 arguments, and at most 3, but ${arg.length} were passed in.`)
  const count = whole(arg[1])
  if (count <= 0) fail(28724, '$slice limit must be positive')
  return [whole(arg[0]), count]
}

function sliced(array: unknown[], skip: number | undefined, count: number): unknown[] {
  if (skip === undefined) return count < 0 ? array.slice(count) : array.slice(0, count)
  const from = skip < 0 ? Math.max(array.length + skip, 0) : skip
  return array.slice(from, from + count)
}
