import { type swarmApi, swarmSnapshot } from '@carapace/api'
import { announceRows, type Handlers } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { validationRow } from '../views.ts'

export const internalHandlers = (parts: Parts) =>
  ({
    getValidationRow: async ({ params }) => validationRow(await parts.validations.need(params.id)),

    listGigValidations: async ({ params }) => ({ validations: (await parts.validations.find({ gigId: params.gigId })).map(validationRow) }),

    listJobValidations: async ({ params }) => ({ validations: (await parts.validations.find({ jobId: params.jobId })).map(validationRow) }),

    announceValidations: ({ body }) => announceRows(parts, swarmSnapshot, body, parts.validations, validationRow),
  }) satisfies Handlers<typeof swarmApi>
