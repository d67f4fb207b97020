import { refuse, type swarmApi, swarmSnapshot } from '@carapace/api'
import { announceRows, type Handlers } from '@carapace/service'
import type { Parts } from '../parts.ts'
import { followFunding } from '../reward/funding.ts'
import { needDelivered, openForSubmission, submissionOf } from '../validation/open.ts'
import { validationRow } from '../views.ts'
import { viewsOf, votesOf } from './validations.ts'

export const internalHandlers = (parts: Parts) =>
  ({
    getValidationRow: async ({ params }) => validationRow(await parts.validations.need(params.id)),

    listGigValidations: async ({ params }) => ({ validations: (await parts.validations.find({ gigId: params.gigId })).map(validationRow) }),

    listGigJudgements: async ({ params, query }) => {
      const found = await parts.validations.find({ gigId: params.gigId }, query)
      const views = await viewsOf(parts, found)
      return { judgements: found.map((validation, i) => ({ validation: views[i]!, votes: votesOf(validation) })) }
    },

    listJobValidations: async ({ params }) => ({ validations: (await parts.validations.find({ jobId: params.jobId })).map(validationRow) }),

    openValidation: async ({ params }) => validationRow(await openForSubmission(parts, submissionOf(await needDelivered(parts, params.gigId)))),

    noteFunding: async ({ params, body }) => {
      const rewards = body.rewards.map(({ validatorId, funded }) => ({ validatorId, funded: BigInt(funded) }))
      return (await followFunding(parts, params.id, rewards)) ? {} : refuse('NOT_FOUND', { resource: 'reward' })
    },

    announceValidations: ({ body }) => announceRows(parts, swarmSnapshot, body, parts.validations, validationRow),
  }) satisfies Handlers<typeof swarmApi>
