import { type identityApi, refuse } from '@carapace/api'
import { content, type Handlers, reply } from '@carapace/service'
import { checkCredential } from '../credential/check.ts'
import { asJwt } from '../credential/proof.ts'
import { listLength } from '../credential/status-list.ts'
import { vocabulary } from '../credential/vocabulary.ts'
import type { Parts } from '../parts.ts'

const jwtType = 'application/vc+jwt'
const varies = { vary: 'accept' }

export const credentialHandlers = (parts: Parts) =>
  ({
    getCredential: async ({ params, accept }) => {
      const agent = await parts.agents.named(params.id)
      const { credential, withProof } = await parts.credentialFor(agent)
      if (accept.includes(jwtType)) return content(jwtType, await asJwt(await parts.issuer(), credential), varies)
      const answer = {
        credential: withProof,
        format: 'application/vc',
        issuedAt: new Date(credential.validFrom).toISOString(),
        expiresAt: new Date(credential.validUntil).toISOString(),
        verifyEndpoint: `${parts.baseUrl}/api/credentials/verify`,
      }
      return reply(200, answer, varies)
    },

    getStatusList: async ({ params, accept }) => {
      const list = Number(params.list)
      if (list * listLength > (await parts.lastCard())) refuse('NOT_FOUND', { resource: 'status list' })
      const { credential, withProof } = await parts.statusList(list)
      if (accept.includes(jwtType)) return content(jwtType, await asJwt(await parts.issuer(), credential), varies)
      return reply(200, withProof, { ...varies, 'cache-control': 'no-cache' })
    },

    getVocabulary: () => content('application/ld+json', JSON.stringify(vocabulary(parts.baseUrl)), { 'cache-control': 'public, max-age=3600' }),

    verifyCredential: ({ body }) => checkCredential(parts, body.credential),

    getDidDocument: async () => reply(200, (await parts.issuer()).didDocument),
  }) satisfies Handlers<typeof identityApi>
