import type { Expr } from '../expressions/core.ts'
import { fail } from '../values/errors.ts'
import { asDoc, copyDoc, type Doc, fieldNames, getOwn, setOwn } from '../values/values.ts'

/** What happens to a field: it is included, excluded, changed, or computed from the whole document. */
export type Leaf =
  | { readonly kind: 'include' | 'exclude' }
  | { readonly kind: 'map'; readonly map: (value: unknown, root: Doc) => unknown }
  | { readonly kind: 'compute'; readonly value: Expr }

export interface Branch {
  readonly kind: 'branch'
  readonly children: Map<string, Branch | Leaf>
}

export function newBranch(): Branch {
  return { kind: 'branch', children: new Map() }
}

/** Hangs a leaf at a path. Refuses a path that contains another (31249, 31250). */
export function plant(tree: Branch, path: string, leaf: Leaf): void {
  const parts = path.split('.')
  if (parts.includes('')) fail(40353, path.endsWith('.') ? "FieldPath must not end with a '.'." : 'FieldPath field names may not be empty strings.')
  let branch = tree
  parts.forEach((part, i) => {
    const child = branch.children.get(part)
    if (i === parts.length - 1) {
      if (child) fail(31250, `Path collision at ${path}`)
      branch.children.set(part, leaf)
      return
    }
    if (child && child.kind !== 'branch') fail(31249, `Path collision at ${path} remaining portion ${parts.slice(i + 1).join('.')}`)
    const next = child?.kind === 'branch' ? child : newBranch()
    branch.children.set(part, next)
    branch = next
  })
}

/** Includes the fields that the tree names, in the document's order, then adds the computed ones. */
export function include(doc: Doc, { children }: Branch, root: Doc): Doc {
  const result: Doc = {}
  for (const key of fieldNames(doc)) {
    const child = children.get(key)
    if (!child || child.kind === 'compute' || child.kind === 'exclude') continue
    const value = child.kind === 'branch' ? within(doc[key], child, root, include) : child.kind === 'map' ? child.map(doc[key], root) : doc[key]
    if (value !== undefined) setOwn(result, key, value)
  }
  return computeInto(result, children, root)
}

/** Drops what the tree names. */
export function exclude(doc: Doc, { children }: Branch, root: Doc): Doc {
  const result: Doc = {}
  for (const key of fieldNames(doc)) {
    const child = children.get(key)
    if (child?.kind === 'exclude') continue
    const value =
      child?.kind === 'branch'
        ? (within(doc[key], child, root, exclude, true) as unknown)
        : child?.kind === 'map'
          ? child.map(doc[key], root)
          : doc[key]
    if (value !== undefined) setOwn(result, key, value)
  }
  return result
}

/** Adds the computed fields; fields that exist already stay at their position. */
export function addFields(doc: Doc, { children }: Branch, root: Doc): Doc {
  return computeInto(copyDoc(doc), children, root)
}

function computeInto(result: Doc, children: Branch['children'], root: Doc): Doc {
  for (const [key, child] of children) {
    if (child.kind === 'compute') {
      const value = child.value(root)
      if (value === undefined) delete result[key]
      else setOwn(result, key, value)
    } else if (child.kind === 'branch' && computes(child)) setOwn(result, key, computeWithin(getOwn(result, key), child, root))
  }
  return result
}

function computes(branch: Branch): boolean {
  for (const child of branch.children.values()) if (child.kind === 'compute' || (child.kind === 'branch' && computes(child))) return true
  return false
}

function computeWithin(value: unknown, branch: Branch, root: Doc): unknown {
  if (Array.isArray(value)) return value.map(element => computeWithin(element, branch, root))
  return computeInto(copyDoc(asDoc(value) ?? {}), branch.children, root)
}

/** Applies a branch to an embedded document, or to each one in an array; other values are dropped unless `preserveOthers`. */
function within(value: unknown, branch: Branch, root: Doc, apply: typeof include, preserveOthers = false): unknown {
  if (Array.isArray(value)) return value.map(element => within(element, branch, root, apply, preserveOthers)).filter(v => v !== undefined)
  const doc = asDoc(value)
  return doc ? apply(doc, branch, root) : preserveOthers ? value : undefined
}
