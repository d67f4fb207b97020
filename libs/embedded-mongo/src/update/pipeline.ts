import { compileTransforms } from '../query/transforms.ts'
import { fail } from '../values/errors.ts'
import type { Doc } from '../values/values.ts'

const allowed = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith'])

/**
 * Compiles an update given as an aggregation pipeline.
 * @throws MongoError 72 for a stage that does more than reshape one document
 */
export function compileUpdatePipeline(stages: readonly Doc[], now: Date, vars: Doc | undefined): (doc: Doc) => Doc {
  for (const stage of stages) {
    const name = Object.keys(stage)[0] ?? ''
    if (!allowed.has(name)) fail(72, `${name} is not allowed to be used within an update`)
  }
  return compileTransforms(stages, now, vars)
}
