import { type swarmApi, swarmSnapshot } from '@carapace/api'
import { type HandlersOf, reply } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { validationRow } from '../views.ts'

type Handlers = HandlersOf<typeof swarmApi>

export const internalHandlers = (
  parts: Parts,
): Pick<Handlers, 'getValidationRow' | 'listGigValidations' | 'listJobValidations' | 'announceValidations'> => ({
  getValidationRow: async ({ params }) => validationRow(await parts.validations.need(params.id)),

  listGigValidations: async ({ params }) => ({ validations: (await parts.validations.find({ gigId: params.gigId })).map(validationRow) }),

  listJobValidations: async ({ params }) => ({ validations: (await parts.validations.find({ jobId: params.jobId })).map(validationRow) }),

  announceValidations: async ({ body }) => {
    const found = await parts.validations.find(body.after === undefined ? {} : { _id: { $gt: body.after } }, { sort: { _id: 1 }, limit: body.limit })
    await parts.emit(found.map(entry => swarmSnapshot.of({ kind: 'validation', id: entry.id, version: entry.version, row: validationRow(entry) })))
    return reply(202, { announced: found.length, last: found.at(-1)?.id ?? null })
  },
})
