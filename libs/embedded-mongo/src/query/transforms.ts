import { type Scope, scopeWith } from '../expressions/core.ts'
import { compileExpression } from '../expressions/expression.ts'
import { fail } from '../values/errors.ts'
import { asDoc, type Doc, fieldNames, isDoc, typeName } from '../values/values.ts'
import { compileFields } from './project.ts'
import { addFields, type Branch, newBranch, plant } from './projection-tree.ts'

type Transform = (doc: Doc) => Doc

/** Stages that make one document of one document. */
export const transforms: Readonly<Record<string, (arg: unknown, scope: Scope) => Transform>> = {
  $project: (arg, scope) => {
    const spec = isDoc(arg) ? arg : fail(15969, '$project specification must be an object')
    if (Object.keys(spec).length === 0) fail(51272, 'Invalid $project :: caused by :: projection specification must have at least one field')
    return compileFields(spec, scope)
  },
  $addFields: (arg, scope) => adding('$addFields', arg, scope),
  $set: (arg, scope) => adding('$set', arg, scope),
  $unset: (arg, scope) => {
    const paths = Array.isArray(arg) ? arg : [arg]
    if (paths.length === 0 || paths.some(path => typeof path !== 'string'))
      fail(31002, '$unset specification must be a string or an array containing only string values')
    return compileFields(Object.fromEntries(paths.map(path => [path, false])), scope)
  },
  $replaceRoot: (arg, scope) => {
    if (!isDoc(arg) || Object.keys(arg).length !== 1 || !Object.hasOwn(arg, 'newRoot'))
      return fail(40229, `expected an object as specification for $replaceRoot stage, got ${typeName(arg)}`)
    return replacing(arg.newRoot, scope)
  },
  $replaceWith: replacing,
}

/** Compiles stages that each make one document of one document into one function. */
export function compileTransforms(stages: readonly Doc[], now: Date, vars?: Doc): Transform {
  const scope = scopeWith(now, vars)
  const steps = stages.map(stage => {
    const [name = ''] = Object.keys(stage)
    return Object.hasOwn(transforms, name) ? transforms[name]!(stage[name], scope) : fail(40324, `Unrecognized pipeline stage name: '${name}'`)
  })
  return doc => steps.reduce((result, step) => step(result), doc)
}

function adding(name: string, arg: unknown, scope: Scope): Transform {
  const spec = isDoc(arg) ? arg : fail(40272, `${name} specification stage must be an object, got ${typeName(arg)}`)
  const tree = newBranch()
  plantComputed(tree, spec, '', scope)
  return doc => addFields(doc, tree, doc)
}

function plantComputed(tree: Branch, spec: Doc, prefix: string, scope: Scope): void {
  for (const key of fieldNames(spec)) {
    const value = spec[key]
    const nested = isDoc(value) && Object.keys(value).length > 0 && !Object.keys(value)[0]!.startsWith('$')
    if (nested) plantComputed(tree, value, `${prefix}${key}.`, scope)
    else plant(tree, `${prefix}${key}`, { kind: 'compute', value: compileExpression(value, scope) })
  }
}

function replacing(expression: unknown, scope: Scope): Transform {
  const value = compileExpression(expression, scope)
  return doc => {
    const next = value(doc)
    return (
      asDoc(next) ??
      fail(
        40228,
        `'newRoot' expression must evaluate to an object, but resulting value was: ${String(next)}. Type of resulting value: '${typeName(next)}'`,
      )
    )
  }
}
